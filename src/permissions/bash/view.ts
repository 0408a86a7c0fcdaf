import { readShell } from "../../shell/read-shell.ts";
import type { ShellWord } from "../../shell/shell-word.ts";
import {
  commandText,
  type Redirection,
  type Shell,
  type SimpleCommand,
} from "../../shell/shell.ts";
import type { Ground } from "../ground.ts";
import type { PathPair } from "../policy.ts";
import { directoryChanges } from "./directory-change.ts";
import { reachOf, type Reach } from "./evaluated.ts";
import { fileUse } from "./file-use.ts";
import { wordPaths, type WordPaths } from "./word-paths.ts";

/** A file that some part of a command line reads or writes. */
export interface TouchedFile {
  readonly pair: PathPair;
  readonly effect: "read" | "write";
  /** The command that does it; `null`: a redirection. */
  readonly program: string | null;
  readonly part: string;
}

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

/** What a command line for bash comes to. Read once; every question is asked of this. */
export class BashView {
  readonly command: string;
  /** `null`: it cannot be read. */
  readonly shell: Shell | null;
  readonly whyUnreadable: string | null;
  readonly reach: Reach;
  readonly pathsOf: WordPaths;
  readonly #ground: Ground;
  readonly #pairs = new Map<readonly string[], readonly PathPair[]>();
  #touched: readonly TouchedFile[] | undefined;
  #misses = false;
  #texts: readonly RunText[] | undefined;

  constructor(command: string, ground: Ground) {
    const read = readShell(command);
    this.#ground = ground;
    this.command = command;
    this.shell = read.readable ? read.shell : null;
    this.whyUnreadable = read.readable ? null : read.why;
    this.reach = read.readable
      ? reachOf(read.shell)
      : { runs: [], redirections: [], unknown: [command] };
    const { runs } = this.reach;
    const context = { runs, repeats: this.shell?.repeats ?? false };
    this.pathsOf = read.readable ? wordPaths(context, ground) : () => null;
  }

  /** Some part runs in another directory, or may. */
  get leavesDirectory(): boolean {
    return this.reach.runs
      .flatMap(({ forms }) => directoryChanges(forms))
      .some((change) => {
        const paths = change === "unknown" ? null : this.pathsOf(change.to);
        return paths?.every((path) => path === this.#ground.cwd) !== true;
      });
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
    return pairs;
  }

  /** Every file that can be told from the text. */
  get touched(): readonly TouchedFile[] {
    this.#touched ??= [
      ...unique([...this.#byCommands(), ...this.#byRedirections()], ({ pair, effect, program }) =>
        [effect, program, pair.given].join(" "),
      ),
    ];
    return this.#touched;
  }

  /** Some file has a name, but too many others have too, or nobody knows in which directory it is. */
  get missesFiles(): boolean {
    return this.touched.length >= 0 && this.#misses;
  }

  /** Everything that may run, as texts, each once. */
  get texts(): readonly RunText[] {
    this.#texts ??= [...unique(this.reach.runs.flatMap(textsOf), ({ key }) => key)];
    return this.#texts;
  }

  #byCommands(): TouchedFile[] {
    return this.reach.runs.flatMap(({ command, forms }) => {
      const part = commandText(command);
      return forms.flatMap((form) => {
        const { reads, writes } = fileUse(form);
        const program = form.words[0]?.text ?? "";
        return [
          ...this.#files(reads, { effect: "read", program, part }),
          ...this.#files(writes, { effect: "write", program, part }),
        ];
      });
    });
  }

  #byRedirections(): TouchedFile[] {
    return this.reach.redirections.flatMap((one) => {
      const { operator, target, effect } = one;
      if (effect === "descriptor" || (effect === "write" && !writesFile(one))) return [];
      return this.#files([target], { effect, program: null, part: `${operator} ${target.text}` });
    });
  }

  #files(words: readonly ShellWord[], use: Omit<TouchedFile, "pair">): TouchedFile[] {
    // The same word again says nothing new.
    const pairs = new Set(words.map((word) => this.pairsOf(word) ?? []));
    this.#misses ||= words.some((word) => word.isStatic && this.pathsOf(word) === null);
    return [...pairs].flatMap((some) => some.map((pair) => ({ pair, ...use })));
  }
}

function textsOf({ command, forms }: Reach["runs"][number]): RunText[] {
  return forms.flatMap(({ words }) => {
    if (words.length === 0) return [];
    const text = words.map((word) => word.text).join(" ");
    const isOpen = words.some(({ isStatic }) => !isStatic);
    return [{ text, words, isOpen, command, key: `${isOpen} ${text}` }];
  });
}

function unique<T>(all: readonly T[], keyOf: (one: T) => string): MapIterator<T> {
  const found = new Map<string, T>();
  for (const one of all) if (!found.has(keyOf(one))) found.set(keyOf(one), one);
  return found.values();
}

/** Whether a redirection puts something into a file. */
export function writesFile({ effect, target }: Redirection): boolean {
  return effect === "write" && !(target.isStatic && sinks.has(target.text));
}
