// Reads what `strace -f -y` wrote about one command: programs that ran, files that were opened or changed, and whether bash
// itself did it or a program that it started.
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

/** A program that was started. */
export interface Executed {
  /** Bash started it for the command; else a program did. */
  byBash: boolean;
  /** The name of the program that started it. */
  by: string;
  path: string;
  argv: string[];
}

/** A file that was opened or changed. */
export interface Touched {
  byBash: boolean;
  by: string;
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
  const calls = callsIn(text);
  const processes = processesIn(calls, cwd);
  const trace: Trace = { executed: [], touched: [] };
  for (const call of calls) {
    const process = processes.get(call.pid) ?? { isBash: false, name: "?", cwd };
    note(trace, call, process);
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
  name: string;
  cwd: string;
}

function note(trace: Trace, call: Call, process: Process): void {
  const { name, words, args, result } = call;
  process.cwd = textOf(/AT_FDCWD<((?:[^>\\]|\\.)*)>/.exec(args)?.[1]) ?? process.cwd;
  const by = { byBash: process.isBash, by: process.name };
  const hasFailed = result.startsWith("-1");
  // A write to a file system that is read-only here would have happened elsewhere.
  const isKeptOut = /EROFS/.test(result);
  if (/^(?:clone|clone3|fork|vfork)$/.test(name)) return;
  if (name.startsWith("execve")) {
    const [path = "", ...argv] = words;
    // Without an interpreter bash reads the file itself.
    if (hasFailed && !/ENOEXEC/.test(result)) return;
    trace.executed.push({ ...by, path: resolve(process.cwd, path), argv });
    process.isBash = false;
    process.name = basename(path);
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
    trace.touched.push({ ...by, given, path, effect });
    return;
  }
  if (name === "connect") {
    trace.touched.push({ ...by, given: args, path: `connect ${given}`, effect: "write" });
    return;
  }
  // The new name of a link stands last, and its target is only text.
  const named = name.startsWith("symlink") ? words.slice(1) : words;
  for (const one of named.length === 0 ? [fdPath(args)] : named) {
    const path = realParent(resolve(process.cwd, fdBase(args) ?? "", one));
    trace.touched.push({ ...by, given: one, path, effect: "write" });
  }
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

/** Children begin as what their parents are at that moment, which is bash as long as it only forks. */
function processesIn(calls: readonly Call[], cwd: string): Map<number, Process> {
  const parents = new Map<number, number>();
  for (const { name, pid, result } of calls) {
    if (/^(?:clone|clone3|fork|vfork)$/.test(name)) parents.set(Number.parseInt(result, 10), pid);
  }
  const processes = new Map<number, Process>();
  const root = calls[0]?.pid;
  // The first call starts bash itself.
  calls[0]?.name === "execve" && (calls as Call[]).shift();
  const executedAt = new Map<number, number>();
  calls.forEach(({ name, pid, result }, at) => {
    if (name === "execve" && (!result.startsWith("-1") || /ENOEXEC/.test(result)))
      if (!executedAt.has(pid)) executedAt.set(pid, at);
  });
  const forkedAt = new Map<number, number>();
  calls.forEach(({ name, result }, at) => {
    if (/^(?:clone|clone3|fork|vfork)$/.test(name)) forkedAt.set(Number.parseInt(result, 10), at);
  });
  const nameAt = (pid: number, at: number): { isBash: boolean; name: string } => {
    const executed = executedAt.get(pid);
    if (executed !== undefined && executed < at) {
      return { isBash: false, name: basename(calls[executed]?.words[0] ?? "?") };
    }
    if (pid === root) return { isBash: true, name: "bash" };
    const parent = parents.get(pid);
    return parent === undefined
      ? { isBash: false, name: "?" }
      : nameAt(parent, forkedAt.get(pid) ?? at);
  };
  for (const { pid } of calls) {
    if (!processes.has(pid)) processes.set(pid, { ...nameAt(pid, -1), ...startOf(pid), cwd });
  }
  return processes;

  function startOf(pid: number): { isBash: boolean; name: string } {
    if (pid === root) return { isBash: true, name: "bash" };
    const parent = parents.get(pid);
    if (parent === undefined) return { isBash: false, name: "?" };
    return nameAt(parent, forkedAt.get(pid) ?? -1);
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
