import { literalWord, unknownWords, type ShellWord } from "../shell/shell-word.ts";
import type { Redirection } from "../shell/shell.ts";
import type { Ground } from "../ground.ts";
import { mayNameProtected } from "../protected.ts";
import { isEncoded, printsNames } from "./git/git-input.ts";
import { CopiedFiles } from "./files/copied-files.ts";
import { fileUse } from "./files/file-use.ts";
import type { FileUse } from "./files/use.ts";
import type { TouchedFile, UnknownFiles } from "./seen-files.ts";
import type { BashView } from "./view.ts";
import { writtenCommand, writtenRedirection } from "./written-command.ts";

/** The files that the parts of a line read and write, as far as its text and the disk tell. */
export interface LineFiles {
  readonly touched: readonly TouchedFile[];
  readonly unknown: readonly UnknownFiles[];
  /** The runs that copy links, or more than can be told. */
  readonly linkCopies: readonly number[];
  readonly copies: CopiedFiles;
}

type FileView = Pick<BashView, "reach" | "pathsOf" | "pairsOf" | "spelledOut">;

interface Copier extends NonNullable<FileUse["copies"]> {
  readonly program: string;
  readonly part: string;
  readonly at: number;
}

/** How often copies may bring along what other copies have written. */
const mostRounds = 8;

/** Collects the files of all parts. Each is told once, with the last part that uses it. */
export function lineFiles(bash: FileView, ground: Ground): LineFiles {
  const touched: TouchedFile[] = [];
  const unknown: UnknownFiles[] = [];
  const note = (words: readonly ShellWord[], use: Omit<TouchedFile, "pair">): void => {
    for (const word of new Set(words.flatMap((one) => bash.spelledOut(one) ?? [one]))) {
      const pairs = bash.pairsOf(word);
      const isOdd = bash.pathsOf(word) !== null || mayNameProtected(shapeOf(word));
      const anywhere = isOdd ? ({ leadsAnywhere: true } as const) : {};
      const computed = isGiven(word, use) ? ({ isComputed: true } as const) : {};
      const { effect, part, at } = use;
      if (pairs === null) unknown.push({ effect, part, at, ...anywhere, ...computed });
      for (const pair of pairs ?? []) touched.push({ pair, ...use });
    }
  };
  // Git and others write names of their own, which no word stands for.
  const isGiven = (word: ShellWord, { at }: Pick<TouchedFile, "at">): boolean =>
    word === unknownWords
      ? at !== null && bash.reach.runs[at]?.forms.some((form) => form.words.includes(word)) === true
      : !/^https?:\/\//i.test(word.pieces[0] ?? "");
  const copiers = new Map<string, Copier>();
  const { runs, documents } = bash.reach;
  const isPrinted = documents.some(isEncoded) || runs.some(printsNames);
  for (const [at, { command, forms }] of runs.entries()) {
    const part = writtenCommand(command);
    for (const form of forms) {
      const used = fileUse(form);
      const { reads, writes, walks, whole = [], ifPaths, writesAnywhere } = used;
      const program = form.words[0]?.text ?? "";
      note(reads, { effect: "read", program, part, at });
      note(whole, { effect: "write", program, part, at, isWhole: true });
      note(writes, { effect: "write", program, part, at });
      if (walks === null)
        unknown.push({ effect: "read", part, at, ...(ifPaths === undefined ? {} : { ifPaths }) });
      if (writesAnywhere === true) unknown.push({ effect: "write", part, at, leadsAnywhere: true });
      if (used.writesComputed === true || (used.namesFromInput === true && isPrinted))
        unknown.push({ effect: "write", part, at, isComputed: true });
      if (used.copies === undefined) continue;
      const { from, to } = used.copies;
      const key = JSON.stringify(
        [to, ...from].map((word) => [word.isStatic, word.text, word.pieces]),
      );
      // The same copy again writes nothing new.
      if (!copiers.has(key)) copiers.set(key, { from, to, program, part, at });
    }
  }
  for (const one of bash.reach.redirections) {
    const { target, effect } = one;
    if (effect === "descriptor" || (effect === "write" && !writesFile(one))) continue;
    note([target], { effect, program: null, part: writtenRedirection(one), at: null });
  }
  const copies = new CopiedFiles(ground);
  for (const { effect, pair } of touched) if (effect === "write") copies.add(pair.given, pair.real);
  const linkCopies: number[] = [];
  for (const [{ from, to, program, part, at }, copied] of copiedBy(copiers, copies, bash)) {
    const isNamed = from.every((word) => bash.pathsOf(word) !== null);
    const into = copied === null && isNamed ? (bash.pairsOf(to) ?? []) : [];
    if (copied === null)
      unknown.push({ effect: "write", part, at, ...(into.length > 0 ? { into } : {}) });
    if (copied === null) linkCopies.push(at);
    note((copied ?? []).map(literalWord), { effect: "write", program, part, at });
  }
  const key = ({ pair, effect, program, isWhole }: TouchedFile): string =>
    [effect, program, isWhole, pair.given].join(" ");
  const last = new Map<string, number>();
  for (const one of touched)
    if (one.at !== null) last.set(key(one), Math.max(one.at, last.get(key(one)) ?? 0));
  const distinct = [...unique(touched, key)].map((one) => ({
    ...one,
    at: last.get(key(one)) ?? null,
  }));
  return { touched: distinct, unknown, linkCopies, copies };
}

/** Everything that each copier writes; `null`: that cannot be told. */
function copiedBy(
  copiers: ReadonlyMap<string, Copier>,
  copies: CopiedFiles,
  { pathsOf }: FileView,
): Map<Copier, readonly string[] | null> {
  const found = new Map<Copier, readonly string[] | null>();
  const copiedOnce = ({ from, to }: Copier): readonly string[] | null => {
    const sources = from.map((word) => pathsOf(word));
    const targets = pathsOf(to);
    if (targets === null || sources.includes(null)) return null;
    const all = sources.flatMap((paths) => paths ?? []);
    const written = targets.map((target) => copies.of(all, target));
    return written.includes(null) ? null : written.flatMap((paths) => paths ?? []);
  };
  // One copy may bring along what another one has written. A circle of them has no end.
  for (let round = 0; round <= Math.min(copiers.size, mostRounds); round += 1) {
    const before = copies.size;
    for (const copier of copiers.values()) {
      const copied = copiedOnce(copier);
      found.set(copier, copied);
      for (const path of copied ?? []) copies.add(path);
    }
    if (copies.size === before) return found;
  }
  copies.giveUp();
  return new Map([...found.keys()].map((copier) => [copier, null]));
}

/** A word with a star for whatever is open in it. */
function shapeOf({ pieces }: ShellWord): string {
  return pieces.map((piece) => piece ?? "*").join("");
}

/** Where output may go without being a file of anybody's. */
const sinks = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

/** Whether a redirection puts something into a file. */
export function writesFile({ effect, target }: Redirection): boolean {
  return effect === "write" && !(target.isStatic && sinks.has(target.text));
}

/** The first of those with the same key. */
export function unique<T>(all: readonly T[], keyOf: (one: T) => string): MapIterator<T> {
  const found = new Map<string, T>();
  for (const one of all) if (!found.has(keyOf(one))) found.set(keyOf(one), one);
  return found.values();
}
