import { join } from "node:path";
import { opaquePart, opaqueText } from "../shell/opaque.ts";
import { isOwnVariable, isSafeAssignment } from "../shell/safe-assignment.ts";
import { unknownWords, type ShellWord } from "../shell/shell-word.ts";
import type { Redirection, SimpleCommand } from "../shell/shell.ts";
import { ruleFor, ruleForFile } from "../rules/exact-rule.ts";
import type { PathPair, Rulebook } from "../policy.ts";
import { isAbout, type Rule } from "../rules/rule.ts";
import { isAcceptedEdit, movesDirectories } from "./accepted-edit.ts";
import { unwrapped } from "./forms.ts";
import { coversWords } from "./covers-words.ts";
import { matchesCommand, type CommandPattern } from "./pattern.ts";
import { isFilter, isOftenLooking, onlyLooks } from "./look/only-looks.ts";
import type { Sight } from "./look/programs.ts";
import { actsElsewhere } from "./git/git-elsewhere.ts";
import { inputsOf, mayUseStars, outputsOf } from "./star-rule.ts";
import { writesFile } from "./line-files.ts";
import type { BashView } from "./view.ts";
import { writtenCommand, writtenRedirection } from "./written-command.ts";

/** Whether every part of a command line is approved. */
export type Coverage =
  | {
      readonly covered: true;
      readonly by: readonly Rule[];
      /** Some part was approved by the paths that it meets, and not by a rule for it alone. */
      readonly reliesOnPaths: boolean;
      /** So was one that may still run when the command has ended. */
      readonly reliesOnwards: boolean;
    }
  | {
      readonly covered: false;
      readonly part: string;
      readonly why: string;
      readonly rules: readonly string[];
    };

/** Sources of approval for the parts: rules, and what needs no approval at all. */
export interface Approval {
  readonly rules: readonly Rule[];
  /** Rules for edits, which approve where output goes. */
  readonly edits: readonly Rule[];
  readonly builtIn: boolean;
  /** The command may still run when another call has moved its directory. */
  readonly runsOn?: boolean;
}

/** The most rules that are suggested: a person reads no more before allowing them. */
const mostSuggested = 50;

/** Looks at one part after the other; the first one that nothing approves decides. */
export function coverage(bash: BashView, approval: Approval, book: Rulebook): Coverage {
  if (!bash.read.readable) {
    const { opaque } = bash.read;
    const part = opaquePart(bash.command, opaque);
    return { covered: false, part, why: opaqueText(opaque), rules: [] };
  }
  const { shell } = bash.read;
  const check = new CoverageCheck(bash, approval, book);
  const isMixed = shell.commands.some((command) => check.isCovered(command));
  const missing: SimpleCommand[] = [];
  for (const command of shell.commands) {
    if (missing.length === mostSuggested) break;
    if (!check.approves(command, isMixed)) missing.push(command);
  }
  const files = shell.redirections.filter((one) => !check.approvesRedirection(one));
  const [first] = missing;
  const [file] = files;
  const rules = [
    ...missing.map((one) => check.ruleFor(one)),
    ...files.map((one) => ruleForFile(one, bash.pathsOf)),
  ];
  const isWhole = missing.length < mostSuggested && !rules.includes(null);
  const suggested = isWhole ? rules.filter((rule) => rule !== null) : [];
  if (first !== undefined) {
    const part = writtenCommand(first);
    return { covered: false, part, why: check.whyNot(first), rules: [...new Set(suggested)] };
  }
  if (file !== undefined) {
    const part = writtenRedirection(file);
    return { covered: false, part, why: "it writes to a file", rules: suggested };
  }
  const { reliesOnPaths } = check;
  // The file of a single command is opened at once.
  const writesOnwards = shell.runningOn.length > 1 && shell.redirections.some(writesFile);
  const reliesOnwards = writesOnwards || !shell.runningOn.every((one) => check.isCovered(one));
  return { covered: true, by: [...check.used], reliesOnPaths, reliesOnwards };
}

/** Whether rules approve every command of a line; where its output goes is another question. */
export function runsOnly(bash: BashView, rules: readonly Rule[], book: Rulebook): boolean {
  const check = new CoverageCheck(bash, { rules, edits: [], builtIn: false }, book);
  return bash.read.readable && bash.read.shell.commands.every((one) => check.approves(one));
}

type KnownAnswers = Map<readonly PathPair[], boolean>;

class CoverageCheck {
  readonly used = new Set<Rule>();
  reliesOnPaths = false;
  readonly #bash: BashView;
  readonly #approval: Approval;
  readonly #book: Rulebook;
  readonly #sight: Sight;
  /** Answers about the paths of a word. */
  readonly #readable: KnownAnswers = new Map();
  readonly #writable: KnownAnswers = new Map();
  readonly #approved: KnownAnswers = new Map();
  /** Some part of the command writes or removes files. */
  readonly #writes: boolean;
  #isMixed = false;
  /** Another part may have made links before the one that is looked at. */
  #isBehindLinks = false;

  constructor(bash: BashView, approval: Approval, book: Rulebook) {
    this.#bash = bash;
    this.#approval = approval;
    this.#book = book;
    this.#writes = bash.touched.some(({ effect }) => effect === "write");
    let globs: ReadonlySet<string> | undefined;
    let distrustsGit: boolean | undefined;
    const writes = this.#writes;
    this.#sight = {
      isInside: (word) => this.#every(word, this.#readable, (pair) => book.isReadable(pair)),
      entriesInside: (word) =>
        (bash.pathsOf(word) ?? []).every((path) =>
          book.ground.list(path)?.every((name) => {
            const pair = book.pair(join(path, name));
            return book.isReadable(pair) && (isPlain(pair) || !(writes || this.#isMixed));
          }),
        ),
      mayFind: (word) => {
        globs ??= variablesWithGlobs(bash);
        return word.unquoted.some(
          (name) =>
            name === null ||
            ofBash.test(name) ||
            (name === "PWD" && (bash.leavesDirectory || !/^[\w./@+-]*$/.test(book.ground.cwd))) ||
            globs?.has(name) === true,
        );
      },
      changesDirectory: bash.leavesDirectory,
      get distrustsGit() {
        distrustsGit ??= writes || mayMisleadGit(book);
        return distrustsGit;
      },
    };
  }

  /** A rule approves it. */
  isCovered(command: SimpleCommand): boolean {
    return this.#byRule(command, command.assignments.every(isSafeAssignment));
  }

  /** `isMixed`: beside parts that a rule approves, and so outside the tight sandbox, links are not followed. */
  approves(command: SimpleCommand, isMixed = false): boolean {
    this.#isMixed = isMixed;
    const { read } = this.#bash;
    this.#isBehindLinks =
      read.readable && this.#bash.isBehindLinks(read.shell.commands.indexOf(command));
    const { words, assignments } = command;
    if (words.length === 0) {
      // The words of a loop are looked up, and their names are a look at a directory.
      const globs = assignments.flatMap(({ value }) => (value?.hasGlob === true ? [value] : []));
      if (!this.#approval.builtIn || !assignments.every(isOwnVariable)) return false;
      return globs.every((word) => this.#sight.isInside(word));
    }
    const areSafe = assignments.every(isSafeAssignment);
    if (this.#byRule(command, areSafe)) return true;
    if (!areSafe || !this.#approval.builtIn) return false;
    return this.#needsNone(unwrapped(command).words);
  }

  approvesRedirection(one: Redirection): boolean {
    const { target, effect } = one;
    this.#isBehindLinks = this.#bash.makesLinks;
    // A path that opens a connection.
    if (/^\/dev\/(?:tcp|udp)\//.test(target.text)) return false;
    if (!writesFile(one))
      return effect !== "read" || !this.#approval.builtIn || this.#isPlainInput(target);
    return this.#mayBeOutput(target);
  }

  /** Whether the mode, or a rule for edits, allows writing a file. */
  #mayBeOutput(target: ShellWord): boolean {
    // A glob or a variable may name anything.
    if (!target.isStatic || target.belowHome !== null) return false;
    return this.#every(
      target,
      this.#approved,
      (pair) => this.#mayWrite(pair) || this.#byEditRule(pair),
    );
  }

  whyNot({ words, assignments }: SimpleCommand): string {
    const unsafe = assignments.find((one) => !isSafeAssignment(one));
    if (words.length === 0 || unsafe !== undefined)
      return `it sets ${unsafe?.name ?? assignments[0]?.name ?? "a variable"}`;
    if (words[0]?.isStatic === false) return "only running it would tell which program it is";
    if (this.#isElsewhere(unwrapped({ words, assignments }).words, ""))
      return "git would act on another repository than that of the project, whose configuration names programs";
    const rule = this.#starRule(unwrapped({ words, assignments }).words);
    if (rule !== undefined)
      return `the star in '${rule.rule}' does not cover arguments that may run a program or write a file`;
    const why = this.#approval.builtIn
      ? this.#whyMore(unwrapped({ words, assignments }).words)
      : null;
    return why === null ? "no rule allows it" : `no rule allows it, and ${why}`;
  }

  /** Why a command that often only looks is more than that here. */
  #whyMore(words: readonly ShellWord[]): string | null {
    const [name, ...args] = words;
    if (this.#bash.movesPlace) return "the line moves a directory in which a part of it runs";
    if (this.#needsTreeAlone && movesDirectories(words))
      return this.#book.ground.isShared
        ? "another command runs, under which it would move directories"
        : "it would move directories while other commands run";
    if (name === undefined || !isOftenLooking(name.text)) return null;
    if (name.text === "git" && !this.#book.policy.trusted)
      return "git acts on what the repository configures: run 'retinue trust' if you trust this folder";
    if (name.text === "git" && mayMisleadGit(this.#book))
      return "git would act on another repository than that of the trusted folder";
    if (name.text === "git" && this.#sight.changesDirectory)
      return "git would run in another directory, whose configuration is another one";
    if (args.some(({ isStatic, isGlob }) => !isStatic && !isGlob))
      return "a variable or substitution may be any option or path";
    return "an option or a path in it is not known to only look inside the working directories";
  }

  #byRule(command: SimpleCommand, areSafe: boolean): boolean {
    const inner = unwrapped(command);
    const [name] = inner.words;
    const [first] = command.words;
    if (name === undefined || first === undefined || !areSafe) return false;
    // With a blank in its name, a program could be taken for another one and its arguments.
    if (![name, first].every((word) => word.isStatic && !/\s/.test(word.text))) return false;
    const whole = textOf(command.words);
    const text = textOf(inner.words);
    // What `xargs` adds is no text that a rule could name.
    const isKnown = !inner.words.includes(unknownWords);
    const fits = (pattern: CommandPattern): boolean => {
      if (!pattern.hasStar) {
        // A word with a blank in it would count as two.
        if (inner.words.some((word) => /\s/.test(word.text))) return false;
        return matchesCommand(pattern, whole) || (isKnown && matchesCommand(pattern, text));
      }
      if (!coversWords(pattern, inner.words)) return false;
      const isFree = [command, inner].every(({ words }) => mayUseStars(pattern, words));
      if (!isFree || !inputsOf(inner.words).every((file) => this.#sight.isInside(file)))
        return false;
      return outputsOf(inner.words).every((file) => this.#mayBeOutput(file));
    };
    const rule = this.#approval.rules.find(
      ({ pattern }) =>
        pattern !== null &&
        fits(pattern) &&
        !this.#isElsewhere(inner.words, pattern.literals.join(" ")),
    );
    if (rule === undefined) return false;
    this.used.add(rule);
    return true;
  }

  /** Git that may act on another repository is what only a rule is about that names it. */
  #isElsewhere(words: readonly ShellWord[], named: string): boolean {
    return actsElsewhere(words, { bash: this.#bash, book: this.#book, named });
  }

  /** The rule that allows exactly this part, if there is one. */
  ruleFor(command: SimpleCommand): string | null {
    const { words } = unwrapped(command);
    return this.#isElsewhere(words, textOf(words)) ? null : ruleFor(command);
  }

  /** A rule that would cover the text if its star did. */
  #starRule(words: readonly ShellWord[]): Rule | undefined {
    return this.#approval.rules.find(
      ({ pattern }) => pattern?.hasStar === true && coversWords(pattern, words),
    );
  }

  /** Whether nothing may be moved unasked: another command runs, or this one runs on beside others. */
  get #needsTreeAlone(): boolean {
    return this.#book.ground.isShared || this.#approval.runsOn === true;
  }

  #needsNone(words: readonly ShellWord[]): boolean {
    if (!isFilter(words)) this.reliesOnPaths = true;
    if (onlyLooks(words, this.#sight)) return true;
    const mayWrite = (word: ShellWord): boolean =>
      this.#every(word, this.#writable, (pair) => this.#mayWrite(pair));
    const place = {
      mayWrite,
      pathsOf: this.#bash.pathsOf,
      ground: this.#book.ground,
      copiedFiles: this.#bash.copiedFiles.bind(this.#bash),
    };
    if (this.#book.policy.mode !== "acceptEdits" || !isAcceptedEdit(words, place)) return false;
    return !(this.#needsTreeAlone && movesDirectories(words));
  }

  /** Files that edits are accepted for. Protected ones have been asked about before. */
  #mayWrite(pair: PathPair): boolean {
    const book = this.#book;
    if (book.policy.mode !== "acceptEdits" || !this.#approval.builtIn) return false;
    return book.isInside(pair) && !book.isProtected(pair) && !book.isOption(pair);
  }

  #byEditRule(pair: PathPair): boolean {
    const rule = this.#approval.edits.find(
      (one) => one.specifier === null || this.#book.fits(one, pair),
    );
    if (rule !== undefined) this.used.add(rule);
    return rule !== undefined;
  }

  /** The input of a command that only looks counts as a file that it looks at. */
  #isPlainInput(target: ShellWord): boolean {
    return target.isStatic && this.#sight.isInside(target);
  }

  #every(word: ShellWord, found: KnownAnswers, test: (pair: PathPair) => boolean): boolean {
    this.reliesOnPaths = true;
    const pairs = this.#bash.pairsOf(word);
    if (pairs === null) return false;
    if (this.#approval.runsOn === true && /(?:^|\/)\.\.(?:\/|$)/.test(word.text)) return false;
    if (this.#bash.movesPlace) return false;
    // A part that writes may change where a link leads, and what a glob finds.
    if (this.#writes && this.#bash.goesUpFromLink(word)) return false;
    const arePlain = pairs.every(isPlain);
    if (!arePlain && this.#isMixed) return false;
    if ((!arePlain || word.hasGlob) && this.#writes) return false;
    // Whatever is there may have been replaced by a link, except where the work goes on.
    const { cwd } = this.#book.ground;
    if (this.#isBehindLinks && !pairs.every(({ given }) => given === cwd)) return false;
    const known = found.get(pairs) ?? pairs.every(test);
    found.set(pairs, known);
    return known;
  }
}

/** No link stands on the way. */
function isPlain({ given, real }: PathPair): boolean {
  return given === real;
}

/** Variables that bash fills with text of the command itself. */
const ofBash = /^(?:_|BASH\w*|OLDPWD|DIRSTACK)$/;

/** Variables to which the command gives a value that is a glob, or is not known. */
function variablesWithGlobs({ reach }: BashView): ReadonlySet<string> {
  const assignments = reach.runs.flatMap(({ command }) => command.assignments);
  const risky = assignments.filter(
    ({ value }) => value === null || !value.isStatic || /[*?[]/.test(value.text),
  );
  return new Set(risky.map(({ name }) => name));
}

/** Whether git may act on a configuration that nobody trusts: trust is for the repository of one folder. */
export function mayMisleadGit({ policy, ground }: Rulebook): boolean {
  return !policy.trusted || !ground.findsRepositoryOf(policy.project);
}

function textOf(words: readonly ShellWord[]): string {
  return words.map(({ text }) => text).join(" ");
}

/** Whether a rule approves all of Bash. */
export function coversAll(rule: Rule): boolean {
  return isAbout(rule, "Bash") && rule.specifier === null;
}
