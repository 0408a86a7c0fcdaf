// Reads what `strace -f -y` wrote about one command: programs that ran, files that were opened or changed, and whether bash
// itself did it or a program that it started.
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** A program that was started. */
export interface Executed {
  /** Bash started it for the command; else a program did. */
  byBash: boolean;
  /** The name of the program that started it, and those above it. */
  by: string;
  chain: readonly string[];
  path: string;
  argv: string[];
}

/** A file that was opened or changed. */
export interface Touched {
  byBash: boolean;
  by: string;
  chain: readonly string[];
  /** The words with which the program that did it was started. */
  argv: readonly string[];
  /** As the program named it. */
  given: string;
  /** With links resolved. */
  path: string;
  effect: "read" | "list" | "write";
}

export interface Trace {
  executed: Executed[];
  touched: Touched[];
}

export const tracedCalls =
  "execve,execveat,open,openat,openat2,creat,clone,clone3,fork,vfork,/unlink,/rename,/mkdir,/rmdir,/symlink,/^link,/chmod,/chown,/truncate,/utime,/mknod,connect";

export function readTrace(text: string, cwd: string): Trace {
  // The first call starts bash itself.
  const [first, ...calls] = callsIn(text);
  const trace: Trace = { executed: [], touched: [] };
  if (first === undefined) return trace;
  const processes = new Map<number, Process>([
    [first.pid, { isBash: true, chain: ["bash"], argv: ["bash"], cwd }],
  ]);
  for (const call of calls) {
    const process = processes.get(call.pid) ?? { isBash: false, chain: ["?"], argv: [], cwd };
    processes.set(call.pid, process);
    // A fork stands where it began, which is before anything that the child does.
    if (forks.test(call.name)) processes.set(Number.parseInt(call.result, 10), { ...process });
    else note(trace, call, process);
  }
  return trace;
}

interface Call {
  pid: number;
  name: string;
  words: string[];
  /** The text between the parentheses. */
  args: string;
  result: string;
}

interface Process {
  /** Bash as it was started, or forked from that, and nothing executed since. */
  isBash: boolean;
  chain: readonly string[];
  argv: readonly string[];
  cwd: string;
}

const forks = /^(?:clone|clone3|fork|vfork)$/;

function note(trace: Trace, call: Call, process: Process): void {
  const { name, words, args, result } = call;
  process.cwd = textOf(/AT_FDCWD<((?:[^>\\]|\\.)*)>/.exec(args)?.[1]) ?? process.cwd;
  const by = { byBash: process.isBash, by: process.chain.at(-1) ?? "", chain: process.chain };
  const who = { ...by, argv: process.argv };
  const hasFailed = result.startsWith("-1");
  // A write to a file system that is read-only here would have happened elsewhere.
  const isKeptOut = /EROFS/.test(result);
  if (name.startsWith("execve")) {
    const [path = "", ...argv] = words;
    // Without an interpreter bash reads the file itself.
    if (hasFailed && !/ENOEXEC/.test(result)) return;
    trace.executed.push({ ...by, path: resolve(process.cwd, path), argv });
    process.isBash = false;
    process.chain = [...process.chain, kindOf(basename(path), argv)];
    process.argv = argv;
    return;
  }
  if (hasFailed && !isKeptOut) return;
  const [given = ""] = words;
  if (/^(?:open|openat|openat2|creat)$/.test(name)) {
    if (/O_PATH/.test(args)) return;
    const writes = name === "creat" || /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(args);
    const effect = writes ? "write" : /O_DIRECTORY/.test(args) ? "list" : "read";
    const opened = textOf(/^\d+<((?:[^>\\]|\\.)*)>/.exec(result)?.[1]);
    const path = opened ?? resolve(process.cwd, given);
    trace.touched.push({ ...who, given, path, effect });
    return;
  }
  if (name === "connect") {
    trace.touched.push({ ...who, given: args, path: `connect ${given}`, effect: "write" });
    return;
  }
  // The new name of a link stands last, and its target is only text.
  const named = name.startsWith("symlink") ? words.slice(1) : words;
  for (const one of named.length === 0 ? [fdPath(args)] : named) {
    const path = realParent(resolve(process.cwd, fdBase(args) ?? "", one));
    trace.touched.push({ ...who, given: one, path, effect: "write" });
  }
}

/** A shell that is given a file, also one for its start, is a script. */
function kindOf(name: string, argv: readonly string[]): string {
  const takesFile = argv.some((word) => /^--?(?:rcfile|init-file)/.test(word));
  const takesCode = !takesFile && argv.some((word) => /^-\w*c/.test(word));
  return /^(?:ba|da)?sh$/.test(name) && !takesCode ? `${name} script` : name;
}

function fdBase(args: string): string | undefined {
  return textOf(/^(?:\d+|AT_FDCWD)<((?:[^>\\]|\\.)*)>/.exec(args)?.[1]);
}

function fdPath(args: string): string {
  return textOf(/^\d+<((?:[^>\\]|\\.)*)>/.exec(args)?.[1]) ?? "?";
}

function realParent(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

function callsIn(text: string): Call[] {
  const calls: Call[] = [];
  const unfinished = new Map<number, { call: Call | null; text: string }>();
  for (const line of text.split("\n")) {
    const [, pid, rest] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || rest === undefined) continue;
    const id = Number(pid);
    if (rest.endsWith("<unfinished ...>")) {
      // It takes its place where it began.
      const head = rest.slice(0, -"<unfinished ...>".length);
      const call: Call = { pid: id, name: "", words: [], args: "", result: "" };
      calls.push(call);
      unfinished.set(id, { call, text: head });
      continue;
    }
    const [resumed] = /^<\.\.\. \w+ resumed>/.exec(rest) ?? [];
    if (resumed !== undefined) {
      const begun = unfinished.get(id);
      unfinished.delete(id);
      const read = begun === undefined ? null : callOf(id, begun.text + rest.slice(resumed.length));
      if (begun?.call !== undefined && begun.call !== null && read !== null)
        Object.assign(begun.call, read);
      continue;
    }
    const call = callOf(id, rest);
    if (call !== null) calls.push(call);
  }
  return calls.filter(({ name }) => name !== "");
}

function callOf(pid: number, text: string): Call | null {
  const [, name, args, result] = /^(\w+)\((.*)\)\s+= (-?\d.*)$/s.exec(text) ?? [];
  if (name === undefined || args === undefined || result === undefined) return null;
  const words = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, one]) => textOf(one) ?? "");
  return { pid, name, words, args, result };
}

const letters: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12 };

/** The text of a string as C writes it. */
function textOf(written: string | undefined): string | undefined {
  if (written === undefined || !written.includes("\\")) return written;
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of written.matchAll(/\\([0-7]{1,3})|\\(.)|([^\\])/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(letters[letter] ?? letter.charCodeAt(0));
    else bytes.push(...Buffer.from(plain ?? ""));
  }
  return Buffer.from(bytes).toString();
}
