import { basename, resolve } from "node:path";
import { readShell, type ReadShell } from "../shell/grammar.ts";
import { literalWord, unknownWords, type ShellWord } from "../shell/shell-word.ts";
import type { SimpleCommand } from "../shell/shell.ts";
import { unknownPath } from "../../platform/files/real-path.ts";
import type { Ground } from "../ground.ts";
import type { PathPair } from "../policy.ts";
import { pathsBehindLinks, type PathBehindLinks } from "./behind-links.ts";
import { carriedTexts, type CarriedText } from "./carried-text.ts";
import { directoryChanges } from "./directory-change.ts";
import { reachOf, type Reach } from "./evaluated.ts";
import { fileUse } from "./files/file-use.ts";
import { mayMakeLinks } from "./files/link-makers.ts";
import { mayMovePlace } from "./moved-place.ts";
import { filesBelow } from "./files/files-below.ts";
import { fileNames, mentionedWords, type Mention } from "./files/mentioned-files.ts";
import { isLeftOut, isTaskOf, namedFiles, type NamedFile } from "./files/named-files.ts";
import { spelledOut } from "./files/spelled-out.ts";
import { onlyShows, trackedFiles } from "./files/tracked-files.ts";
import { lineFiles, unique, type LineFiles } from "./line-files.ts";
import type { ShownFile, TouchedFile, UnknownFiles } from "./seen-files.ts";
import { writtenCommand } from "./written-command.ts";
import { goesUp, pathByText, waysUp, wordPaths, type WordPaths } from "./files/word-paths.ts";

/** A command in one of its forms. */
export interface RunText {
  readonly text: string;
  readonly words: readonly ShellWord[];
  /** Only running would tell the whole text. */
  readonly isOpen: boolean;
  readonly command: SimpleCommand;
  readonly key: string;
}

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
  #uses: LineFiles | undefined;
  #mentions: readonly Mention[] | undefined;
  #mentioned: readonly ShownFile[] | undefined;
  #named: readonly NamedFile[] | undefined;
  #shown: Shown | undefined;
  #leaves: boolean | undefined;
  #movesPlace: boolean | undefined;
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

  /** The same, by the text alone where the paths are not known. */
  likelyPairsOf(word: ShellWord): readonly PathPair[] {
    const byText = (): PathPair[] =>
      pathByText(word, this.#ground).map((path) => ({ given: path, real: path }));
    return this.pairsOf(word) ?? byText();
  }

  /** A `..` in the word may stand behind a link, so that it leads elsewhere when the link has gone. */
  goesUpFromLink(word: ShellWord): boolean {
    const path = word.belowHome ?? word.text;
    if (!goesUp(path)) return false;
    if (word.belowHome !== null || word.pattern !== null) return true;
    return !waysUp(path).every((way) =>
      this.pairsOf(literalWord(way))?.every(({ given, real }) => given === real),
    );
  }

  /** Whether a word names a directory that is there. */
  isDirectory(word: ShellWord): boolean {
    return this.likelyPairsOf(word).some(
      ({ real }) => this.#ground.exists(real) && !this.#ground.isFile(real),
    );
  }

  /** Every file that can be told from the text. */
  get touched(): readonly TouchedFile[] {
    return this.#fileUses.touched;
  }

  /** Parts of which only running would tell all files. */
  get unknownFiles(): readonly UnknownFiles[] {
    return this.#fileUses.unknown;
  }

  /** The files that a copy of these sources to a target writes; `null`: that cannot be told. */
  copiedFiles(sources: readonly string[], target: string): readonly string[] | null {
    return this.#fileUses.copies.of(sources, target);
  }

  /** A part moves a directory in which another one may run: no path that is looked up from there is known. */
  get movesPlace(): boolean {
    this.#movesPlace ??= mayMovePlace(this, this.#ground);
    return this.#movesPlace;
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
          return (this.spelledOut(word) ?? [word]).map((one) => ({
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
        this.likelyPairsOf(word)
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

  /** Some part, or a command beside it, may make links, so that a path may lead elsewhere behind it than it does now. */
  get makesLinks(): boolean {
    return this.#ground.isLinked || this.linkMakers.size > 0;
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
    if (this.#ground.isLinked) return true;
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

  get #fileUses(): LineFiles {
    this.#uses ??= lineFiles(this, this.#ground);
    return this.#uses;
  }

  /** The words that a word may become, by values that the line or the environment gives to variables. */
  spelledOut(word: ShellWord): readonly ShellWord[] | null {
    const commands = this.reach.runs.map(({ command }) => command);
    return spelledOut(word, commands, this.#ground.environment);
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

function textsOf({ command, forms }: Reach["runs"][number]): RunText[] {
  return forms.flatMap(({ words }) => {
    if (words.length === 0) return [];
    const text = words.map((word) => word.text).join(" ");
    const isOpen = words.some(({ isStatic }) => !isStatic);
    const key = JSON.stringify(words.map(({ pieces }) => pieces));
    return [{ text, words, isOpen, command, key }];
  });
}

/** Whether the parts run one after the other, as they stand: no loop, no pipe, nothing in the background or in other text. */
function runsInOrder({ read, reach, command }: BashView): boolean {
  if (!read.readable || read.shell.repeats) return false;
  const isParallel = /(?<!\|)\|(?!\|)|(?<![&>])&(?![&>\d])/.test(command);
  return !isParallel && reach.runs.length === read.shell.commands.length;
}
