import { literalWord, openWord, unknownWords, type ShellWord } from "../shell/shell-word.ts";
import { isShell } from "./shells.ts";
import { gitCommand } from "./git/git-command.ts";
import type { ShellAssignment, SimpleCommand } from "../shell/shell.ts";

/** A command, or what is left of it without a wrapper in front. */
export interface Form {
  readonly assignments: readonly ShellAssignment[];
  readonly words: readonly ShellWord[];
}

/**
 * Programs that run their arguments and change nothing about what these do. How many words after the name are their
 * own; `null`: not in this way.
 */
const wrappers = new Map<string, (args: readonly ShellWord[]) => number | null>([
  ["nohup", (args) => ownFlags(args, /^--$/)],
  ["builtin", () => 0],
  ["time", (args) => ownFlags(args, /^-p$/)],
  ["command", (args) => ownFlags(args, /^-p$/)],
  [
    "nice",
    (args) => ownFlags(args, /^(?:-n?\d+|-n-\d+|--adjustment=-?\d+)$/, /^(?:-n|--adjustment)$/),
  ],
  ["stdbuf", (args) => ownFlags(args, /^-[ioe]\w+$|^--(?:input|output|error)=\w+$/, /^-[ioe]$/)],
  ["timeout", (args) => afterDuration(args)],
]);

function ownFlags(args: readonly ShellWord[], flag: RegExp, withValue?: RegExp): number | null {
  let count = 0;
  for (;;) {
    const word = args[count];
    if (word === undefined || !word.isStatic) return null;
    if (flag.test(word.text)) count += 1;
    else if (withValue?.test(word.text) === true) {
      // A value that may be several words may be a program too.
      if (args[count + 1]?.isStatic !== true) return null;
      count += 2;
    } else if (word.text === "--") return count + 1;
    else return word.text.startsWith("-") ? null : count;
  }
}

function afterDuration(args: readonly ShellWord[]): number | null {
  const flags = ownFlags(
    args,
    /^(?:-k\d\S*|-s\w+|-v|--(?:kill-after|signal)=\w+|--foreground|--preserve-status|--verbose)$/,
    /^(?:-k|-s|--kill-after|--signal)$/,
  );
  const duration = flags === null ? undefined : args[flags];
  const isDuration = duration?.isStatic === true && /^[\d.]+[smhd]?$/.test(duration.text);
  return flags !== null && isDuration ? flags + 1 : null;
}

/** The command without the wrappers that an allow rule looks through. */
export function unwrapped({ words, assignments }: Form, depth = 0): Form {
  const [name, ...args] = words;
  if (name?.isStatic !== true || depth === mostWrappers) return { words, assignments };
  if (name.text === "xargs") {
    const [program] = args;
    if (program?.isStatic !== true || program.text.startsWith("-")) return { words, assignments };
    // What comes from its input is added at the end.
    return unwrapped({ words: [...args, unknownWords], assignments }, depth + 1);
  }
  // Behind another wrapper `time` is no word of the shell, but a program.
  if (name.text === "time" && depth > 0) return { words, assignments };
  const own = wrappers.get(name.text)?.(args) ?? null;
  const rest = own === null ? [] : args.slice(own);
  return rest.length === 0
    ? { words, assignments }
    : unwrapped({ words: rest, assignments }, depth + 1);
}

const mostWrappers = 8;

/** Further programs that run their arguments, but not as they are: with other rights, variables or locks. */
const changers = new Set(
  "env sudo doas pkexec runuser systemd-run fakeroot watch setsid ionice flock xargs exec nohup builtin command time nice stdbuf timeout chroot chrt taskset numactl prlimit setarch unshare nsenter bwrap firejail strace ltrace valgrind parallel busybox toybox".split(
    " ",
  ),
);

export function isChanger(program: string): boolean {
  return changers.has(program);
}

/** Everything that a command may run in the end, itself first: what rules that forbid are held against. */
export function runnableForms(command: SimpleCommand): Form[] {
  const forms: Form[] = [];
  const queue: Form[] = [{ words: command.words, assignments: [] }];
  while (forms.length < mostForms) {
    const form = queue.shift();
    if (form === undefined) return forms;
    forms.push(form);
    const [name, ...args] = form.words;
    if (name === undefined) continue;
    const program = name.text.slice(name.text.lastIndexOf("/") + 1);
    if (program !== name.text) queue.push({ ...form, words: [literalWord(program), ...args] });
    else if (name.isStatic) queue.push(...innerForms(program, args));
  }
  // What is wrapped more often may be anything.
  if (queue.length > 0) forms.push(anything);
  return forms;
}

const mostForms = 16;
const anything: Form = { words: [unknownWords], assignments: [] };

function innerForms(program: string, args: readonly ShellWord[]): Form[] {
  if (program === "find") return afterActions(args);
  if (program === "git") return withoutGlobalOptions(args);
  // `/usr/lib/git-core/git-push` is `git push`.
  const command = /^git-([a-z][a-z-]*)$/.exec(program)?.[1];
  if (command !== undefined)
    return [{ assignments: [], words: [literalWord("git"), literalWord(command), ...args] }];
  if (program === "command" && onlyLooks(args)) return [];
  if (!changers.has(program)) return shellsAmong(args);
  const added = program === "xargs" || program === "parallel" ? [unknownWords] : [];
  const marks = added.length === 0 ? [] : placeholders(args);
  const starts = candidates(program, args);
  const inner = starts.slice(0, mostStarts).map((from) => ({
    assignments: [],
    words: [...opened(args.slice(from), marks), ...added],
  }));
  return starts.length > mostStarts ? [...inner, anything] : inner;
}

/** Any program may be one that runs others: a shell among its arguments is run with what follows. */
function shellsAmong(args: readonly ShellWord[]): Form[] {
  const starts = args.flatMap(({ isStatic, text }, at) => (isStatic && isShell(text) ? [at] : []));
  return starts.slice(0, mostStarts).map((at) => ({ assignments: [], words: args.slice(at) }));
}

/** A wrapper with more places where its command may start is written to confuse. */
const mostStarts = 8;

/** `command -v` and `-V` say what a name means. */
function onlyLooks(args: readonly ShellWord[]): boolean {
  const first = args.findIndex(({ text }) => !/^-[pvV]+$/.test(text));
  return args.slice(0, first === -1 ? args.length : first).some(({ text }) => /[vV]/.test(text));
}

/**
 * Where the inner command may start: at the first word that is neither a flag nor an assignment; after a flag, which may
 * take a value, also one further.
 */
function candidates(program: string, args: readonly ShellWord[]): number[] {
  const found: number[] = [];
  let operands = program === "flock" || program === "timeout" || program === "chroot" ? 2 : 1;
  if (program === "taskset" || program === "chrt") operands = 2;
  for (const [at, { text }] of args.entries()) {
    if (text.startsWith("-") || /^\w+=/.test(text)) continue;
    found.push(at);
    const mayBeValue = at > 0 && (args[at - 1]?.text.startsWith("-") ?? false);
    if (!mayBeValue) operands -= 1;
    if (operands === 0 || found.length > mostStarts) break;
  }
  return found;
}

/** `git -C . push` is `git push`. */
function withoutGlobalOptions(args: readonly ShellWord[]): Form[] {
  const command = gitCommand(args);
  if (command === null || command.args.length === args.length - 1) return [];
  const words = [literalWord("git"), literalWord(command.name), ...command.args];
  return [{ assignments: [], words }];
}

function afterActions(args: readonly ShellWord[]): Form[] {
  const starts = args.flatMap(({ text }, at) =>
    /^-(?:exec|execdir|ok|okdir)$/.test(text) ? [at + 1] : [],
  );
  const inner = starts.slice(0, mostStarts).map((from, index) => ({
    assignments: [],
    words: opened(args.slice(from, starts[index + 1]), ["{}"]),
  }));
  return starts.length > mostStarts ? [...inner, anything] : inner;
}

/** The word that `xargs` and others replace by their input. */
function placeholders(args: readonly ShellWord[]): string[] {
  const given = args.flatMap(({ text }, at) => {
    const [, value] = /^(?:-\w*?[Ii]|--replace=?)(.*)$/s.exec(text) ?? [];
    return value === undefined ? [] : [value === "" ? (args[at + 1]?.text ?? "") : value];
  });
  return ["{}", ...given].filter((mark) => mark !== "");
}

/** A word with a placeholder in it is any word. */
function opened(words: readonly ShellWord[], marks: readonly string[]): ShellWord[] {
  return words.map((word) =>
    marks.some((mark) => word.text.includes(mark)) ? openWord(word) : word,
  );
}
