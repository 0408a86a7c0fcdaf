import { resolve } from "node:path";
import { literalWord, unknownWords, type ShellWord } from "./shell/shell-word.ts";
import { writtenCommand, writtenWords } from "./bash/written-command.ts";
import { spellingsOf } from "./bash/carried-text.ts";
import { matchesInAnyOrder } from "./bash/any-order.ts";
import { handedOn } from "./bash/handed-on.ts";
import { mayHandOn } from "./bash/handed-program.ts";
import { respelled } from "./bash/respelled.ts";
import type { BashView } from "./bash/view.ts";
import { copiedProgram } from "./bash/copied-program.ts";
import { isInGitStore, partInGitStore } from "./bash/git/git-store.ts";
import { trackedFiles } from "./bash/files/tracked-files.ts";
import {
  matchesCommand,
  matchesPastOptions,
  mayMatchCommand,
  type CommandPattern,
} from "./bash/pattern.ts";
import { knownTool } from "../tools/known-tools.ts";
import { toolRegistry } from "../tools/registry.ts";
import { isAboutFiles, type Effect } from "../tools/traits.ts";
import type { ViewedCall } from "./call.ts";
import { matchesDomain, namesNoHost } from "./rules/domain.ts";
import { matchesOwnGlob } from "./rules/loose-name.ts";
import type { PathPair, Rulebook } from "./policy.ts";
import { isAbout, matchesParameter, type Rule } from "./rules/rule.ts";

/** Verdict of a rule that forbids about a call. Not `certain`: only running would tell. */
export type Match = { readonly certain: boolean; readonly part: string | null };

/** Whether a deny or ask rule is about this call, or may be. */
export function forbidMatch(rule: Rule, call: ViewedCall, book: Rulebook): Match | null {
  let match = call.matches.get(rule);
  if (match === undefined) {
    match = matchOf(rule, call, book);
    call.matches.set(rule, match);
  }
  return match;
}

function matchOf(rule: Rule, call: ViewedCall, book: Rulebook): Match | null {
  const match = certainOf(rule, call, book);
  const isOpaque = call.bash?.read.readable === false;
  // An opaque command may do whatever a rule for commands or files is about.
  if (match?.certain === true || !isOpaque || !isAboutCommands(rule)) return match;
  return { certain: false, part: null };
}

function isAboutCommands(rule: Rule): boolean {
  const counts = (effect: Effect): boolean => effect === "command" || isAboutFiles(effect);
  if (counts(knownTool(rule.tool).effect)) return true;
  return toolRegistry.values().some(({ name, effect }) => counts(effect) && isAbout(rule, name));
}

function certainOf(rule: Rule, call: ViewedCall, book: Rulebook): Match | null {
  const { specifier } = rule;
  if (!isAbout(rule, call.tool, call.effect))
    return specifier === null ? wholeMatch(rule, call) : fileMatch(rule, call, book);
  if (specifier === null || matchesParameter(rule, call.input))
    return { certain: true, part: null };
  if (call.tool === "Bash") return commandMatch(rule.pattern, call.bash, book);
  if (call.tool === "Agent")
    return namesType(specifier, call) ? { certain: true, part: null } : null;
  if (call.tool === "WebFetch") {
    // A rule that names no host was written to be safe, and matches every one.
    const isMatched = namesNoHost(specifier) || matchesDomain(specifier, call.input["url"]);
    return isMatched ? { certain: true, part: null } : null;
  }
  if (isAboutFiles(call.effect)) return pathMatch(rule, call, book);
  // Nobody knows what it means. Whoever wrote it wanted to be safe; tools of servers only have parameters.
  const isOpen = /^\w+:/.test(specifier) || call.tool.startsWith("mcp__");
  return isOpen ? null : { certain: true, part: null };
}

/** A rule for one tool that holds for files which another tool touches. */
function fileMatch(rule: Rule, call: ViewedCall, book: Rulebook): Match | null {
  const isForReading = isAbout(rule, "Read");
  const isForWriting = isAbout(rule, "Edit");
  if (!isForReading && !isForWriting) return null;
  // What must not be read must not be written either.
  if (call.effect === "edit") {
    return isForReading && rule.kind === "deny" ? pathMatch(rule, call, book) : null;
  }
  const { bash } = call;
  if (bash === null) return null;
  const counts = (effect: "read" | "write"): boolean =>
    effect === "read" ? isForReading : isForWriting || rule.kind === "deny";
  const touched = bash.touched.find(({ pair, effect }) => counts(effect) && book.fits(rule, pair));
  if (touched !== undefined) return { certain: true, part: touched.part };
  for (const { pair, part, isWhole, program } of bash.touched) {
    const holds = isWhole === true ? book.holds(rule, pair) : false;
    // A removal shows nothing, so that not knowing is enough for it only where nothing may be changed.
    const isRemoval = !/^(?:mv|git)$/.test(program ?? "");
    if (holds === true) return { certain: true, part };
    if (holds === null && (isForWriting || !isRemoval)) return { certain: false, part };
  }
  const [program] = bash.reach.unknown;
  if (program !== undefined) return { certain: false, part: program };
  // A part that runs in a moved directory may meet any file.
  if (bash.movesPlace) return { certain: false, part: null };
  const behind = bash.behindLinks.find(({ effect }) => effect === null || counts(effect));
  if (behind !== undefined) return { certain: false, part: behind.part };
  // A link that an earlier part moves may lead to the file.
  const moves = bash.touched.some(({ program }) => /^(?:cp|mv|rsync)$/.test(program ?? ""));
  const fresh = bash.touched.find(
    ({ pair, effect, program }) =>
      // Operands of git are names of branches just as well.
      effect === "read" && isForReading && program !== "git" && !book.ground.exists(pair.given),
  );
  if (moves && fresh !== undefined) return { certain: false, part: fresh.part };
  const unknown = bash.unknownFiles.find(
    ({ effect, ifPaths }) =>
      (effect === "read" ? isForReading : isForWriting) &&
      (ifPaths === undefined || mayBeTracked(bash.trackedIf(ifPaths), rule, book)),
  );
  if (unknown !== undefined) return { certain: false, part: unknown.part };
  const carried = carriedPart(bash, (token) =>
    spellingsOf(token).some((one) => {
      if (book.mayName(rule, { word: literalWord(one), isPlaced: true })) return true;
      // A text may change its directory before it names a file.
      const path = resolve(book.ground.cwd, one.replace(/^(?:\.\.\/)+/, ""));
      return book.fits(rule, { given: path, real: path });
    }),
  );
  if (carried !== null) return { certain: false, part: carried };
  const named = bash.mentioned.find(({ pair }) => book.fits(rule, pair));
  if (named !== undefined) return { certain: false, part: named.part };
  const loose = bash.mentions.find(
    (one) => !one.isTask && one.word !== unknownWords && book.mayName(rule, one),
  );
  if (loose !== undefined) return { certain: false, part: loose.part };
  const writable = isForWriting
    ? bash.named.find(({ pair, isPlain }) => {
        // A plain word that is a directory is rather the name of a task.
        const isDirectory = isPlain && book.ground.exists(pair.real);
        return !isDirectory && book.fits(rule, pair);
      })
    : undefined;
  if (writable !== undefined) return { certain: false, part: writable.part };
  if (!isForReading) return null;
  const shown = bash.shown?.find(({ pair }) => book.fits(rule, pair));
  if (bash.shown === null || shown !== undefined)
    return { certain: false, part: shown?.part ?? null };
  const stored = partInGitStore(bash);
  return stored !== undefined && mayBeTracked(bash.trackedIf([]), rule, book)
    ? { certain: false, part: stored }
    : null;
}

/** The part with a text that a program may take for code, and in which a word is what a rule forbids; or that is too long to tell. */
function carriedPart(
  { carried }: BashView,
  isForbidden: (token: string, rest: readonly string[]) => boolean,
): string | null {
  if (carried === null) return "";
  const found = carried.find(({ tokens }) =>
    tokens.some((token, at) => isForbidden(token, tokens.slice(at, at + mostWords))),
  );
  return found?.part ?? null;
}

/** Whether a rule fits one of the files that git tracks, as far as they are known. */
function mayBeTracked(files: readonly PathPair[] | null, rule: Rule, book: Rulebook): boolean {
  return files === null || files.some((pair) => book.fits(rule, pair));
}

/** Programs that do with a file what `Read` does. */
const viewers = new Set(
  "cat tac head tail less more bat nl wc diff cmp grep egrep fgrep rg sed awk cut od xxd hexdump strings base64".split(
    " ",
  ),
);

/** Without a specifier: no command may do what the tool does, show a file or put something into one. */
function wholeMatch(rule: Rule, call: ViewedCall): Match | null {
  const isDone = call.bash?.touched.find(({ effect, program }) => {
    if (effect === "write") return program === null && isAbout(rule, "Edit");
    return (program === null || viewers.has(program)) && isAbout(rule, "Read");
  });
  if (isDone !== undefined) return { certain: true, part: isDone.part };
  const effects = { read: isAbout(rule, "Read"), write: isAbout(rule, "Edit") };
  const maybe =
    call.bash?.unknownFiles.find(({ effect }) => effects[effect]) ??
    call.bash?.touched.find(
      ({ effect, program }) => program !== null && effects[effect] && effect === "write",
    );
  const walks = effects.read && (call.bash?.walks ?? false);
  return maybe !== undefined || walks ? { certain: false, part: maybe?.part ?? null } : null;
}

function pathMatch(rule: Rule, call: ViewedCall, book: Rulebook): Match | null {
  if (call.pairs.some((pair) => book.fits(rule, pair))) return { certain: true, part: null };
  const isStored = call.effect === "read" && call.pairs.some(isInGitStore);
  return isStored && mayBeTracked(trackedFiles(book.ground), rule, book)
    ? { certain: false, part: null }
    : null;
}

/** `Agent(name)` means the type that the name means, and so does the call; `Agent(a, b)` means both. */
export function namesType(specifier: string, call: ViewedCall): boolean {
  const given = call.input["subagent_type"];
  const type = call.agentType(typeof given === "string" ? given : undefined);
  return specifier.split(",").some((name) => call.agentType(name.trim()) === type);
}

function commandMatch(
  pattern: CommandPattern | null,
  bash: BashView | null,
  { ground }: Rulebook,
): Match | null {
  if (pattern === null || bash === null) return null;
  const line = { bash, environment: ground.environment };
  let possible = bash.reach.unknown[0] ?? ownProgram(bash) ?? copiedProgram(pattern, bash);
  for (const run of bash.texts) {
    const { command, text, words, isOpen } = run;
    if (matchesCommand(pattern, text)) return { certain: true, part: writtenCommand(command) };
    if (possible !== null) continue;
    const isMeant = (some: readonly ShellWord[]): boolean =>
      (isOpen && mayMatchCommand(pattern, some)) ||
      matchesPastOptions(pattern, some) ||
      [some, ...(handedOn(some) ?? [])].some((one) => matchesInAnyOrder(pattern, one)) ||
      // Programs that run others are an open set: whatever is no plain data may be one.
      mayHandOn({ ...run, words: some }, pattern, line);
    const others = respelled(pattern, words, { bash, ground });
    const isOther = others.some(
      (some) => matchesCommand(pattern, some.map((word) => word.text).join(" ")) || isMeant(some),
    );
    if (isOther || isMeant(words)) possible = writtenWords(words);
  }
  possible ??= carriedPart(bash, (token, [, ...rest]) =>
    spellingsOf(token).some(
      (name) =>
        matchesCommand(pattern, [name, ...rest].join(" ")) ||
        matchesOwnGlob(programOf(pattern), name),
    ),
  );
  return possible === null ? null : { certain: false, part: possible };
}

/** The program that a rule is about, as far as its text says. */
function programOf({ literals: [first = ""] }: CommandPattern): string {
  const [program = ""] = first.split(" ");
  return program.slice(program.lastIndexOf("/") + 1);
}

/** Words behind a program that are looked at. */
const mostWords = 16;

/** A program that the command itself makes, by a copy or a link, may be any. */
function ownProgram(bash: BashView): string | null {
  const written = bash.touched.filter(({ effect }) => effect === "write");
  if (written.length === 0) return null;
  const isMade = (word: ShellWord): boolean => {
    const paths = bash.pathsOf(word) ?? [];
    return written.some(({ pair }) => paths.includes(pair.given));
  };
  const made = bash.texts.find(({ words: [name, ...args] }) => {
    if (name?.isStatic !== true) return false;
    if (name.text.includes("/")) return isMade(name);
    return /^(?:\w*sh|source|\.)$/.test(name.text) && args.some(isMade);
  });
  return made?.text ?? null;
}
