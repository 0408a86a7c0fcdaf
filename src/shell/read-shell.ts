import { shellParser } from "./parser.ts";
import type { Shell } from "./shell.ts";
import { Unreadable, walkShell } from "./walk-shell.ts";

const mostCharacters = 10_000;
/** The parser's time grows with the square of the nesting. */
const deepestNesting = 64;

export type ReadShell =
  | { readonly readable: true; readonly shell: Shell }
  | { readonly readable: false; readonly why: string };

/** Reads a command as bash would. What the parser is not sure of counts as unreadable. Throws only without a parser. */
export function readShell(command: string): ReadShell {
  const { parse } = shellParser();
  const why = whyUnreadable(command);
  if (why !== null) return { readable: false, why };
  try {
    return { readable: true, shell: walkShell(parse(command)) };
  } catch (error) {
    const reason = error instanceof Unreadable ? error.message : "it is nested too deeply";
    return { readable: false, why: `it cannot be read as bash (${reason})` };
  }
}

/** What can be told without a parser. */
function whyUnreadable(command: string): string | null {
  if (command.length > mostCharacters) return `it is longer than ${mostCharacters} characters`;
  // Bash is given bytes up to the first NUL; text that is not Unicode would reach it as something else.
  if (command.includes("\0") || !command.isWellFormed())
    return "it has characters that bash cannot be given";
  return nesting(command) > deepestNesting ? "it is nested too deeply" : null;
}

/** Quotes are not looked at: rather too deep than too slow. */
function nesting(text: string): number {
  let [deepest, braces, others] = [0, 0, 0];
  for (const character of text) {
    if (character === "{") braces += 1;
    else if (character === "}") braces = Math.max(0, braces - 1);
    else if (character === "(" || character === "[") others += 1;
    else if (character === ")" || character === "]") others = Math.max(0, others - 1);
    deepest = Math.max(deepest, braces, others);
  }
  return deepest;
}
