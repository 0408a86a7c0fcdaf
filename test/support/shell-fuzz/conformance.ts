import type { ShellWord } from "../../../src/permissions/shell/shell-word.ts";
import type { Shell, SimpleCommand } from "../../../src/permissions/shell/shell.ts";
import type { Places } from "./lanes.ts";
import type { Observation } from "./slot.ts";
import type { Touched } from "./trace.ts";

/** Every way in which bash did something that the grammar did not name; none: it read the command as the grammar did. */
export function divergences(shell: Shell, seen: Observation, places: Places): string[] {
  const found: string[] = [];
  if (seen.isRefused) found.push("refused: bash finds a syntax error");
  const setsHome = shell.commands.some(({ assignments }) =>
    assignments.some(({ name }) => name === "HOME"),
  );
  const home = setsHome ? null : places.home;
  const named = shell.commands.filter(({ words }) => words.length > 0);
  const patterns = named.map((command) => argvPattern(command, home));
  const byBash = seen.executed.filter((one) => one.byBash);
  for (const { argv } of byBash) {
    const text = argv.map((word) => `${word}\0`).join("");
    if (!patterns.some((pattern) => pattern.test(text))) found.push(`ran: ${JSON.stringify(argv)}`);
  }
  if (!shell.repeats && byBash.length > named.length)
    found.push(`ran: ${byBash.length} programs, ${named.length} named`);
  for (const one of seen.touched) {
    if (!one.byBash || isOwnOfBash(one)) continue;
    if (!isNamed(one, shell, home)) found.push(`${one.effect}: ${JSON.stringify(one.given)}`);
  }
  return [...new Set(found)];
}

/** The words that bash passes on, each with a NUL behind it. */
function argvPattern({ words }: SimpleCommand, home: string | null): RegExp {
  const patterns = words.map((word) => wordPattern(word, home));
  // Bash itself looks through them.
  const shown = words.map(({ text }) => text);
  let from = 0;
  // A program called `time` is run behind the others.
  while (/^(?:command|builtin)$/.test(shown[from] ?? "") || (from === 0 && shown[0] === "time")) {
    from += 1;
    while (/^-(?:p|-)$/.test(shown[from] ?? "")) from += 1;
  }
  return new RegExp(`^${patterns.slice(from).join("")}$`, "s");
}

function wordPattern(word: ShellWord, home: string | null): string {
  if (word.canSplit) return "(?:[^]*\\x00)?";
  if (word.belowHome !== null) {
    return home === null ? "[^\\x00]*\\x00" : `${RegExp.escape(home + word.belowHome)}\\x00`;
  }
  const pieces = word.pieces.map((piece) => (piece === null ? "[^\\x00]*" : RegExp.escape(piece)));
  return `${pieces.join("")}\\x00`;
}

/** Files that bash opens by itself, and looks at before it says that something is no program. */
function isOwnOfBash({ given, path, effect }: Touched): boolean {
  if (effect === "write") return /^\/dev\/(?:null|tty)$/.test(path);
  return /^\/(?:lib|lib64|usr\/lib|usr\/share\/locale|proc\/self|dev\/(?:tty|null)|usr\/share\/zoneinfo|etc\/(?:ld\.so|local|nsswitch\.conf|passwd))/.test(
    given,
  );
}

function isNamed({ given, effect }: Touched, shell: Shell, home: string | null): boolean {
  const words = shell.commands.flatMap(({ words, assignments }) => [
    ...words,
    ...assignments.flatMap(({ value }) => value ?? []),
  ]);
  // File names are looked up for a glob, and for a variable without quotes.
  if (effect === "list") return words.some(({ canSplit }) => canSplit);
  const targets = shell.redirections.filter((one) => one.effect === effect);
  const isTarget = targets.some(({ target: { text, belowHome } }) => {
    if (belowHome !== null) return home === null || given === home + belowHome;
    return given === text;
  });
  // Bash looks into a file that the system does not run.
  return isTarget || (effect === "read" && words.some(({ text }) => text.includes("/")));
}
