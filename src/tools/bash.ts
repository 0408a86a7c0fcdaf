import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { constants, tmpdir } from "node:os";
import { isAbsolute, join, relative } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { setImmediate, setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { errorMessage } from "../errors.ts";
import type { StartedProcess } from "../platform/process-tree.ts";
import { leafTool, ToolFailure, type LeafTool, type ToolContext } from "./tool.ts";
import type { Workbench } from "./workbench.ts";

const maximumTimeoutMs = 600_000;

export const bashTool: LeafTool = leafTool({
  name: "Bash",
  description:
    "Run a bash command without stdin. The working directory is kept for your next call, variables are not. Processes started with & live until you finish. Prefer Read, Edit, Glob and Grep to cat, sed, find and grep.",
  concurrency: "alone",
  repeatable: false,
  input: z.object({
    command: z.string().min(1),
    timeout: z.number().min(1).max(maximumTimeoutMs).default(120_000).describe("Milliseconds"),
    description: z.string().optional().describe("What it does, in 5-10 words"),
  }),
  async execute({ command, timeout }, context) {
    const { workbench, signal } = context;
    signal.throwIfAborted();
    const notes = [await enter(workbench)];
    const directory = await mkdtemp(join(tmpdir(), "retinue-bash-"));
    const output = new Output(context);
    try {
      const lastDirectory = join(directory, "cwd");
      const prelude = join(directory, "prelude");
      await writeFile(prelude, preludeThatReports(lastDirectory));
      const ending = await run({ command, timeout, prelude, output, context });
      if (ending.kind === "abort") throw signal.reason;
      notes.push(await leave(workbench, lastDirectory));
      const text = [verdict(ending), output.all.render(output.omission), ...notes];
      return {
        content:
          text.filter((part) => part !== undefined && part !== "").join("\n") || "(no output)",
        ...(verdict(ending) !== undefined && { isError: true }),
        data: output.data(ending.kind === "timeout"),
      };
    } finally {
      output.close();
      await rm(directory, { recursive: true, force: true });
    }
  },
});

type Ending =
  | { kind: "exit"; code: number }
  | { kind: "timeout"; afterMs: number }
  | { kind: "abort" };

function verdict(ending: Ending): string | undefined {
  if (ending.kind === "timeout") {
    return `Timed out after ${ending.afterMs} ms; its processes were killed. Give it a longer timeout (at most ${maximumTimeoutMs}) or less to do. Output so far:`;
  }
  return ending.kind === "exit" && ending.code !== 0 ? `Exit code ${ending.code}` : undefined;
}

async function run(call: {
  command: string;
  timeout: number;
  prelude: string;
  output: Output;
  context: ToolContext;
}): Promise<Ending> {
  const { workbench, signal } = call.context;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<Ending>();
  const timer = setTimeout(() => stop({ kind: "timeout", afterMs: call.timeout }), call.timeout);
  const abort = (): void => stop({ kind: "abort" });
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    const child = workbench.processes.start("bash", ["--noprofile", "--norc", "-c", call.command], {
      cwd: workbench.cwd,
      env: environment(call.prelude, workbench.cwd),
    });
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const detach = call.output.attach(child);
    const ending = await Promise.race([exitOf(child), stopped]);
    if (ending.kind !== "exit") await workbench.processes.kill(child);
    // What was written before the exit is read in this time; a background child may hold the pipe open for ever.
    await Promise.race([closed, pause(100).then(() => setImmediate())]);
    detach();
    return ending;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function exitOf(child: StartedProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => {
      resolve({ kind: "exit", code: code ?? 128 + constants.signals[signal ?? "SIGKILL"] });
    });
    child.once("error", (error) => {
      reject(
        new ToolFailure(
          `bash could not be started (${error.message}). Install it and put it on the PATH.`,
        ),
      );
    });
  });
}

/** Variables that change how bash reads a command, so that a permission decided on its text would not hold. */
const shellVariables =
  /^(?:ENV|SHELLOPTS|BASHOPTS|POSIXLY_CORRECT|PROMPT_COMMAND|PS4|CDPATH|GLOBIGNORE|BASH_.*)$/;

function environment(prelude: string, cwd: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !shellVariables.test(name));
  return { ...Object.fromEntries(inherited), PWD: cwd, BASH_ENV: prelude };
}

/**
 * Bash reads this file before the command, which so stays exactly what the model wrote: its line numbers, syntax
 * errors, here-documents and exit code are those of plain bash. A command with an EXIT trap of its own replaces ours
 * and leaves the directory as it was.
 */
function preludeThatReports(file: string): string {
  return `unset BASH_ENV\ntrap ${quote(`{ builtin pwd -P >|${quote(file)}; } 2>/dev/null`)} EXIT\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function enter(workbench: Workbench): Promise<string | undefined> {
  if (await isDirectory(workbench.cwd)) return undefined;
  if (!(await isDirectory(workbench.root))) {
    throw new ToolFailure(
      `The working directory ${workbench.root} does not exist any more. Report this and stop.`,
    );
  }
  const missing = workbench.cwd;
  workbench.cwd = workbench.root;
  return `[${missing} does not exist any more; this ran in ${workbench.root}]`;
}

async function leave(workbench: Workbench, file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const directory = text.replace(/\n$/, "");
  const inside = relative(await realpath(workbench.root).catch(() => workbench.root), directory);
  if (directory !== "" && !isAbsolute(inside) && !/^\.\.(?:\/|$)/.test(inside)) {
    workbench.cwd = join(workbench.root, inside);
    return undefined;
  }
  workbench.cwd = workbench.root;
  const reason =
    directory === ""
      ? "The shell's directory was deleted"
      : `${directory} is outside the working directory`;
  return `[${reason}; the next command runs in ${workbench.root}]`;
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

const inlineCap = 30_000;
const spillCap = 64 * 1024 * 1024;

/** What a command prints, in bounded memory: excerpts to show, and all of it in a file once it is too long. */
class Output {
  readonly all: Excerpt = new Excerpt();
  readonly #stdout = new Excerpt();
  readonly #stderr = new Excerpt();
  readonly #spill: Spill;
  readonly #progress: (text: string) => void;
  #progressTimer: NodeJS.Timeout | undefined;
  #shown = "";

  constructor(context: ToolContext) {
    this.#spill = new Spill(context.workbench.resultsDir, context.callId);
    this.#progress = (text) => context.progress(text);
  }

  /** Returns what ends the collection. The pipes are read on, for a background child would die of a closed one. */
  attach(child: StartedProcess): () => void {
    const streams = [
      { stream: child.stdout as Socket, excerpt: this.#stdout, decoder: new StringDecoder("utf8") },
      { stream: child.stderr as Socket, excerpt: this.#stderr, decoder: new StringDecoder("utf8") },
    ];
    for (const { stream, excerpt, decoder } of streams) {
      stream.on("data", (chunk: Buffer) => this.#add(excerpt, decoder.write(chunk)));
    }
    return () => {
      for (const { stream, excerpt, decoder } of streams) {
        this.#add(excerpt, decoder.end());
        stream.removeAllListeners("data").resume().unref();
      }
    };
  }

  omission = (count: number): string =>
    `\n[… ${count} characters left out; ${this.#spill.whereabouts()}]\n`;

  data(interrupted: boolean): object {
    return {
      stdout: this.#stdout.render(this.omission),
      stderr: this.#stderr.render(this.omission),
      interrupted,
      isImage: false,
      ...(this.#spill.written > 0 && { rawOutputPath: this.#spill.path }),
    };
  }

  close(): void {
    clearTimeout(this.#progressTimer);
    this.#spill.close();
  }

  #add(excerpt: Excerpt, text: string): void {
    if (text === "") return;
    if (this.all.length + text.length > inlineCap) {
      if (this.all.length <= inlineCap) this.#spill.write(this.all.render(this.omission));
      this.#spill.write(text);
    }
    this.all.add(text);
    excerpt.add(text);
    if (this.#progressTimer === undefined) this.#showProgress();
  }

  #showProgress(): void {
    const line = this.all.lastLine();
    this.#progressTimer = undefined;
    if (line === this.#shown) return;
    this.#shown = line;
    this.#progress(line);
    this.#progressTimer = setTimeout(() => this.#showProgress(), 200);
  }
}

/** The beginning and the end of a text of any length. */
class Excerpt {
  length = 0;
  #head = "";
  #tail = "";

  add(text: string): void {
    const room = inlineCap / 2 - this.#head.length;
    this.length += text.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length > inlineCap * 2) this.#tail = this.#tail.slice(-inlineCap / 2);
  }

  render(omission: (count: number) => string): string {
    if (this.length <= inlineCap) return this.#head + this.#tail;
    const text = this.#head + omission(this.length - inlineCap) + this.#tail.slice(-inlineCap / 2);
    // Half a surrogate pair at a cut would make the model's provider refuse the whole request.
    return text.toWellFormed();
  }

  lastLine(): string {
    const end = (this.#head + this.#tail.slice(-1000)).slice(-1000).trimEnd();
    return end.slice(Math.max(end.lastIndexOf("\n"), end.lastIndexOf("\r")) + 1);
  }
}

/** The file that takes a long output. It is written synchronously: that is the back-pressure on the command. */
class Spill {
  readonly path: string;
  written = 0;
  readonly #directory: string;
  #file: number | undefined;
  #end: "whole" | "cut" | Error = "whole";

  constructor(directory: string, callId: string) {
    this.#directory = directory;
    this.path = join(directory, `${callId.replaceAll(/[^\w-]/g, "_")}.txt`);
  }

  write(text: string): void {
    if (this.#end !== "whole") return;
    try {
      if (this.#file === undefined) {
        mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
        this.#file = openSync(this.path, "w", 0o600);
      }
      const bytes = Buffer.from(text);
      const room = spillCap - this.written;
      if (bytes.length > room) this.#end = "cut";
      this.written += writeSync(this.#file, bytes.subarray(0, room));
    } catch (error) {
      this.#end = error instanceof Error ? error : new Error(errorMessage(error));
    }
  }

  whereabouts(): string {
    if (this.#end === "whole") return `the whole output is in ${this.path}`;
    if (this.#end === "cut") return `the first 64 MiB are in ${this.path}`;
    return `they could not be saved: ${this.#end.message}`;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
