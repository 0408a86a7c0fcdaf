import { basename, resolve } from "node:path";
import { readShell, type ReadShell } from "../shell/grammar.ts";
import { literalWord, unknownWords, type ShellWord } from "../shell/shell-word.ts";
import type { Redirection, SimpleCommand } from "../shell/shell.ts";
import { unknownPath } from "../../platform/files/real-path.ts";
import type { Ground } from "../ground.ts";
import type { PathPair } from "../policy.ts";
import { mayNameProtected } from "../protected.ts";
import { pathsBehindLinks, type PathBehindLinks } from "./behind-links.ts";
import { isEncoded, printsNames } from "./git/git-input.ts";
import { carriedTexts, type CarriedText } from "./carried-text.ts";
import { directoryChanges } from "./directory-change.ts";
import { reachOf, type Reach } from "./evaluated.ts";
import { copiedFiles, copyBudget, type CopyBudget } from "./files/copied-files.ts";
import { fileUse } from "./files/file-use.ts";
import type { FileUse } from "./files/use.ts";
import { mayMakeLinks } from "./files/link-makers.ts";
import { filesBelow } from "./files/files-below.ts";
import { fileNames, mentionedWords, type Mention } from "./files/mentioned-files.ts";
import { isLeftOut, isTaskOf, namedFiles, type NamedFile } from "./files/named-files.ts";
import { spelledOut } from "./files/spelled-out.ts";
import { onlyShows, trackedFiles } from "./files/tracked-files.ts";
import type { ShownFile, TouchedFile, UnknownFiles } from "./seen-files.ts";
import { writtenCommand, writtenRedirection } from "./written-command.ts";
import { wordPaths, type WordPaths } from "./files/word-paths.ts";

/** A command in one of its forms. */
export interface RunText {
  readonly text: string;
  readonly words: readonly ShellWord[];
  /** Only running would tell the whole text. */
  readonly isOpen: boolean;
  readonly command: SimpleCommand;
  readonly key: string;
}

/** Where output may go without being a file of anybody's. */
const sinks = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

/** The meaning of a command line for bash. Read once; every question is asked of this. */
export class BashView {
  readonly command: string;
  /** Nothing in an opaque command can be allowed. */
  readonly read: ReadShell;
  /** The programs that it may run. For an opaque command only some, which can make a decision stricter. */
  readonly reach: Reach;
  readonly pathsOf: WordPaths;
  readonly #ground: Ground;
  readonly #pairs = new Map<readonly string[], readonly PathPair[]>();
  #uses: Uses | undefined;
  #mentions: readonly Mention[] | undefined;
  #mentioned: readonly ShownFile[] | undefined;
  #named: readonly NamedFile[] | undefined;
  #shown: Shown | undefined;
  #leaves: boolean | undefined;
  #linkMakers: ReadonlySet<number> | undefined;
  #behindLinks: readonly PathBehindLinks[] | undefined;
  #isInOrder: boolean | undefined;
  #texts: readonly RunText[] | undefined;
  #carried: { readonly texts: readonly CarriedText[] | null } | undefined;
  #tracked: { readonly files: readonly PathPair[] | null } | undefined;

  constructor(command: string, ground: Ground) {
    this.#ground = ground;
    this.command = command;
    this.read = readShell(command);
    this.reach = reachOf(command);
    const { runs } = this.reach;
    this.pathsOf = wordPaths({ runs, repeats: this.#repeats }, ground);
  }

  get #repeats(): boolean {
    return !this.read.readable || this.read.shell.repeats;
  }

  /** Some part runs in another directory, or may. */
  get leavesDirectory(): boolean {
    this.#leaves ??= this.reach.runs
      .flatMap(({ forms }) => directoryChanges(forms))
      .some((change) => {
        const paths = change === "unknown" ? null : this.pathsOf(change.to);
        return paths?.every((path) => path === this.#ground.cwd) !== true;
      });
    return this.#leaves;
  }

  /** The same with links resolved, each once. */
  pairsOf(word: ShellWord): readonly PathPair[] | null {
    const paths = this.pathsOf(word);
    if (paths === null) return null;
    let pairs = this.#pairs.get(paths);
    if (pairs === undefined) {
      pairs = paths.map((path) => ({ given: path, real: this.#ground.realPath(path) }));
      this.#pairs.set(paths, pairs);
    }
    return pairs.some(({ real }) => real === unknownPath) ? null : pairs;
  }

  /** Every file that can be told from the text. */
  get touched(): readonly TouchedFile[] {
    return this.#fileUses.touched;
  }

  /** Parts of which only running would tell all files. */
  get unknownFiles(): readonly UnknownFiles[] {
    return this.#fileUses.unknown;
  }

  /** Texts that a program may take for code; `null`: too many. */
  get carried(): readonly CarriedText[] | null {
    this.#carried ??= { texts: carriedTexts(this.reach) };
    return this.#carried.texts;
  }

  /** Words of programs that are not known, as they may be spelled. Each may name a file in the program's own way. */
  get mentions(): readonly Mention[] {
    this.#mentions ??= this.reach.runs.flatMap(({ command, forms }) => {
      const part = writtenCommand(command);
      return forms.flatMap((form) =>
        mentionedWords(form).flatMap((word, at, all) => {
          const [program = "", before = ""] = [form.words[0]?.text, all[at - 1]?.text];
          if (isLeftOut(program, word, before)) return [];
          const isTask = isTaskOf(program, word, before);
          return (this.#spelledOut(word) ?? [word]).map((one) => ({
            word: one,
            part,
            isTask,
            isPlaced: this.pairsOf(one) !== null,
          }));
        }),
      );
    });
    return this.#mentions;
  }

  /** Files whose names stand among the arguments of a program that may read them. */
  get mentioned(): readonly ShownFile[] {
    this.#mentioned ??= this.mentions.flatMap(({ word: whole, part }) =>
      fileNames(whole).flatMap((word) =>
        (this.pairsOf(word) ?? [])
          .filter(({ real }) => word.text.includes("/") || this.#ground.isFile(real))
          .map((pair) => ({ pair, part })),
      ),
    );
    return this.#mentioned;
  }

  /** Files that some part may write because their names stand in it, whether they exist or not. */
  get named(): readonly NamedFile[] {
    const { runs } = this.reach;
    this.#named ??= namedFiles({ runs, repeats: this.#repeats }, this.#assigned, this.#ground);
    return this.#named;
  }

  /** Some part shows what is in a directory. */
  get walks(): boolean {
    return this.reach.runs.some(({ forms }) =>
      forms.some((form) => (fileUse(form).walks ?? []).length > 0),
    );
  }

  /** Files that some part may show; `null`: too many, or they cannot be told. */
  get shown(): readonly ShownFile[] | null {
    this.#shown ??= { files: this.#lookForShown() };
    return this.#shown.files;
  }

  /** Some part may make links, so that a path may lead elsewhere behind it than it does now. */
  get makesLinks(): boolean {
    return this.linkMakers.size > 0;
  }

  /** The runs of the reach that may make links. */
  get linkMakers(): ReadonlySet<number> {
    this.#linkMakers ??= new Set([
      ...this.#fileUses.linkCopies,
      ...this.texts
        .filter(({ words }) => mayMakeLinks(words))
        .map(({ command }) => this.reach.runs.findIndex((run) => run.command === command)),
    ]);
    return this.#linkMakers;
  }

  /** Whether another part may have made links before this run of the reach: then no path in it is known. */
  isBehindLinks(at: number): boolean {
    this.#isInOrder ??= runsInOrder(this);
    return this.#isInOrder
      ? this.linkMakers.values().some((maker) => maker < at)
      : this.linkMakers.values().some((maker) => maker !== at);
  }

  /** Paths that some part uses when another one may have made links. */
  get behindLinks(): readonly PathBehindLinks[] {
    this.#behindLinks ??= pathsBehindLinks(this, this.#ground);
    return this.#behindLinks;
  }

  /** Files that git tracks and that a part may show; `null`: those are not all. */
  trackedIf(paths: readonly ShellWord[]): readonly PathPair[] | null {
    const arePaths = paths.every((word) =>
      this.pathsOf(word)?.every((path) => this.#ground.exists(path)),
    );
    if (!arePaths || this.leavesDirectory || !onlyShows(this)) return null;
    this.#tracked ??= { files: trackedFiles(this.#ground) };
    return this.#tracked.files;
  }

  /** Everything that may run, as texts, each once. */
  get texts(): readonly RunText[] {
    this.#texts ??= [
      ...unique(
        this.reach.runs.flatMap(textsOf).flatMap((one) => [one, ...this.#byRealName(one)]),
        ({ key }) => key,
      ),
    ];
    return this.#texts;
  }

  /** A program that is named by a path may be a link to another one. */
  #byRealName(run: RunText): RunText[] {
    const [name, ...args] = run.words;
    if (name?.isStatic !== true || !name.text.includes("/")) return [];
    const real = basename(this.#ground.realPath(resolve(this.#ground.cwd, name.text)));
    if (real === basename(name.text)) return [];
    const words = [literalWord(real), ...args];
    const text = words.map((word) => word.text).join(" ");
    return [{ ...run, text, words, key: `${real} ${run.key}` }];
  }

  get #fileUses(): Uses {
    this.#uses ??= this.#collected();
    return this.#uses;
  }

  #collected(): Uses {
    const touched: TouchedFile[] = [];
    const unknown: UnknownFiles[] = [];
    const note = (words: readonly ShellWord[], use: Omit<TouchedFile, "pair">): void => {
      for (const word of new Set(words.flatMap((one) => this.#spelledOut(one) ?? [one]))) {
        const pairs = this.pairsOf(word);
        const isOdd = this.pathsOf(word) !== null || mayNameProtected(shapeOf(word));
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
        ? at !== null &&
          this.reach.runs[at]?.forms.some(({ words }) => words.includes(word)) === true
        : !/^https?:\/\//i.test(word.pieces[0] ?? "");
    const budget = copyBudget();
    const linkCopies: number[] = [];
    const seen = new Set<string>();
    const { runs, documents } = this.reach;
    const isPrinted = documents.some(isEncoded) || runs.some(printsNames);
    for (const [at, { command, forms }] of runs.entries()) {
      const part = writtenCommand(command);
      for (const form of forms) {
        const use = fileUse(form);
        const { reads, writes, walks, whole = [], copies, ifPaths, writesAnywhere } = use;
        const program = form.words[0]?.text ?? "";
        note(reads, { effect: "read", program, part, at });
        note(whole, { effect: "write", program, part, at, isWhole: true });
        note(writes, { effect: "write", program, part, at });
        if (walks === null)
          unknown.push({ effect: "read", part, at, ...(ifPaths === undefined ? {} : { ifPaths }) });
        if (writesAnywhere === true)
          unknown.push({ effect: "write", part, at, leadsAnywhere: true });
        if (use.writesComputed === true || (use.namesFromInput === true && isPrinted))
          unknown.push({ effect: "write", part, at, isComputed: true });
        if (copies === undefined) continue;
        const key = [copies.to, ...copies.from].map(({ text }) => text).join("\0");
        // The same copy again writes nothing new.
        if (seen.has(key)) continue;
        seen.add(key);
        const copied = this.#copied(copies, budget);
        const isNamed = copies.from.every((word) => this.pathsOf(word) !== null);
        const into = copied === null && isNamed ? (this.pairsOf(copies.to) ?? []) : [];
        if (copied === null)
          unknown.push({ effect: "write", part, at, ...(into.length > 0 ? { into } : {}) });
        if (copied === null) linkCopies.push(at);
        note((copied ?? []).map(literalWord), { effect: "write", program, part, at });
      }
    }
    for (const one of this.reach.redirections) {
      const { target, effect } = one;
      if (effect === "descriptor" || (effect === "write" && !writesFile(one))) continue;
      note([target], { effect, program: null, part: writtenRedirection(one), at: null });
    }
    const key = ({ pair, effect, program }: TouchedFile): string =>
      [effect, program, pair.given].join(" ");
    const last = new Map(touched.map((one) => [key(one), one.at]));
    const distinct = [...unique(touched, key)].map((one) => ({
      ...one,
      at: last.get(key(one)) ?? null,
    }));
    return { touched: distinct, unknown, linkCopies };
  }

  #spelledOut(word: ShellWord): readonly ShellWord[] | null {
    const commands = this.reach.runs.map(({ command }) => command);
    return spelledOut(word, commands, this.#ground.environment);
  }

  /** Everything that copies of directories write; `null`: that cannot be told. */
  #copied({ from, to }: Copies, budget: CopyBudget): string[] | null {
    const sources = from.map((word) => this.pathsOf(word));
    const targets = this.pathsOf(to);
    if (targets === null || sources.includes(null)) return null;
    const copies = targets.map((target) =>
      copiedFiles(
        sources.flatMap((paths) => paths ?? []),
        target,
        { ground: this.#ground, budget },
      ),
    );
    return copies.includes(null) ? null : copies.flatMap((paths) => paths ?? []);
  }

  /** Values that the command itself gives to variables. */
  get #assigned(): ShellWord[] {
    const words = this.reach.runs.flatMap(({ command }) =>
      command.assignments.flatMap(({ value }) => (value?.isStatic === true ? [value] : [])),
    );
    return [...unique(words, ({ text }) => text)];
  }

  #lookForShown(): readonly ShownFile[] | null {
    const directories = new Map<string, ShownFile>();
    for (const { command, forms } of this.reach.runs) {
      const part = writtenCommand(command);
      for (const form of forms) {
        for (const word of fileUse(form).walks ?? []) {
          const pairs = this.pairsOf(word);
          if (pairs === null) return null;
          for (const pair of pairs) directories.set(pair.given, { pair, part });
        }
      }
    }
    const walked = filesBelow([...directories.values()], this.#ground);
    const mentionsAny = this.mentions.some(({ word }) => word === unknownWords);
    return walked === null || mentionsAny ? null : [...this.mentioned, ...walked];
  }
}

interface Shown {
  readonly files: readonly ShownFile[] | null;
}

type Copies = NonNullable<FileUse["copies"]>;

interface Uses {
  readonly touched: readonly TouchedFile[];
  readonly unknown: readonly UnknownFiles[];
  /** The runs that copy links, or more than can be told. */
  readonly linkCopies: readonly number[];
}

function textsOf({ command, forms }: Reach["runs"][number]): RunText[] {
  return forms.flatMap(({ words }) => {
    if (words.length === 0) return [];
    const text = words.map((word) => word.text).join(" ");
    const isOpen = words.some(({ isStatic }) => !isStatic);
    const key = JSON.stringify(words.map(({ pieces }) => pieces));
    return [{ text, words, isOpen, command, key }];
  });
}

function unique<T>(all: readonly T[], keyOf: (one: T) => string): MapIterator<T> {
  const found = new Map<string, T>();
  for (const one of all) if (!found.has(keyOf(one))) found.set(keyOf(one), one);
  return found.values();
}

/** Whether the parts run one after the other, as they stand: no loop, no pipe, nothing in the background or in other text. */
function runsInOrder({ read, reach, command }: BashView): boolean {
  if (!read.readable || read.shell.repeats) return false;
  const isParallel = /(?<!\|)\|(?!\|)|(?<![&>])&(?![&>\d])/.test(command);
  return !isParallel && reach.runs.length === read.shell.commands.length;
}

/** A word with a star for whatever is open in it. */
function shapeOf({ pieces }: ShellWord): string {
  return pieces.map((piece) => piece ?? "*").join("");
}

/** Whether a redirection puts something into a file. */
export function writesFile({ effect, target }: Redirection): boolean {
  return effect === "write" && !(target.isStatic && sinks.has(target.text));
}
