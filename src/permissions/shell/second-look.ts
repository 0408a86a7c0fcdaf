import type {
  Assignment,
  Command,
  ParsedScript,
  Redirect,
  SyntaxNode,
  Word,
  WordPart,
} from "unbash";
import { shellParser } from "./parser.ts";
import type { Redirection, Shell, SimpleCommand } from "./shell.ts";
import { literalWord, unknownWords, wordOf, type Piece, type ShellWord } from "./shell-word.ts";

/** The parser's time grows with the square of the nesting. */
const deepestNesting = 64;
const mostCharacters = 10_000;
const mostCommands = 256;
const mostWords = 200;

/**
 * The parts of an opaque command, as far as a general parser finds them. It differs from bash in places, so that what it
 * finds may only make a decision stricter, never allow anything. `null`: it finds nothing.
 */
export function secondLook(command: string): Shell | null {
  const { parse } = shellParser();
  if (command.length > mostCharacters || nesting(command) > deepestNesting) return null;
  const found = new Parts();
  try {
    found.visit(parse(command));
  } catch {
    // The parts that were found before it gave up count all the same.
  }
  return found;
}

class Parts implements Shell {
  readonly commands: SimpleCommand[] = [];
  readonly redirections: Redirection[] = [];
  readonly documents: readonly string[] = [];
  readonly repeats = true;
  readonly runsOn = true;
  readonly runningOn = [];
  readonly #parser = shellParser();

  visit(node: SyntaxNode | ParsedScript): void {
    if (this.commands.length >= mostCommands) return;
    if (node.type === "Command") this.#command(node);
    if (node.type === "Redirect") this.#redirect(node);
    this.#parser.forEachChild(node, (child) => this.visit(child));
  }

  #command({ name, args, prefix }: Command): void {
    const all = [...(name === undefined ? [] : [name]), ...args];
    const words = all
      .slice(0, mostWords)
      .map((word) => (word.type === "Word" ? shellWord(word) : assignedWord(word)));
    const assignments = prefix
      .filter((one) => one.type === "Assignment")
      .map((one) => ({
        name: one.name,
        value: one.value.type === "Word" ? shellWord(one.value) : null,
      }));
    this.commands.push({ words, assignments });
  }

  #redirect({ operator, target }: Redirect): void {
    if (target === undefined) return;
    const word = shellWord(target);
    const isDuplicate = /^[<>]&$/.test(operator) && /^(?:\d+-?|-)$/.test(word.text);
    const effect = isDuplicate ? "descriptor" : operator === "<" ? "read" : "write";
    this.redirections.push({ operator, target: word, effect });
  }
}

/** An argument such as `x=1` of `declare`: known only if it is all plain. */
function assignedWord({ text }: Assignment): ShellWord {
  return /^[\w./=:@%+,-]*$/.test(text) ? literalWord(text) : { ...unknownWords, text };
}

function shellWord({ parts, value, text }: Word): ShellWord {
  if (/^~[^/]/.test(text)) return { ...unknownWords, text };
  const pieces = parts?.flatMap((part) => piecesOf(part, false)) ?? [
    { kind: "text" as const, text: value },
  ];
  const [first, ...others] = pieces;
  if (first?.kind !== "text" || !/^~(?:\/|$)/.test(text)) return wordOf(pieces, text);
  const rest = { kind: "text" as const, text: first.text.slice(1) };
  return wordOf([{ kind: "home" }, rest, ...others], text);
}

function piecesOf(part: WordPart, quoted: boolean): Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ kind: "text", text: part.value }];
    case "DoubleQuoted":
      return part.parts.flatMap((inner) => piecesOf(inner, true));
    case "Glob":
      return [{ kind: "glob", text: part.value }];
    case "SimpleExpansion":
    case "ParameterExpansion": {
      const [, name = null] = /^\$(?:\{(\w+)\}|(\w+))$/.exec(part.text) ?? [];
      return [{ kind: "open", name: part.text === "$HOME" ? "HOME" : name, quoted }];
    }
    default:
      return [{ kind: "open", name: null, quoted }];
  }
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
