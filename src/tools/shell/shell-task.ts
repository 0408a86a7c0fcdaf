import { rm } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { errorMessage } from "../../contract/errors.ts";
import type { StartedProcess } from "../../processes/process-tree.ts";
import { endsWithin } from "../../platform/ends-within.ts";
import { readOutput } from "./read-output.ts";
import type { RunningShell } from "./start-shell.ts";
import { endOf, Tail, type TailText } from "./tail.ts";
import type { TaskFile } from "./task-file.ts";
import type { TaskReport } from "../agents/tasks.ts";

type TaskOutcome =
  | { state: "completed" | "failed"; exitCode: number }
  | { state: "failed"; message: string }
  | { state: "stopped"; by: string };

/** Facts about a command when it is started. */
export interface BackgroundCommand {
  readonly shell: RunningShell;
  readonly callId: string;
  readonly description: string;
  /** Directory of the command alone, removed when it has ended. */
  readonly directory: string;
  /** Notes of the sandbox at the end, from the last output of the command. */
  readonly notes: (exitCode: number, printed: string) => readonly string[];
}

/** One background command, from its start until it is forgotten. */
export class ShellTask {
  readonly child: StartedProcess;
  readonly callId: string;
  readonly description: string;
  /** Settles when its file is closed; never rejects. */
  readonly ended: Promise<void>;
  /** Number of calls that wait for its end: they report it themselves. */
  awaited = 0;
  /** Whether a call has already reported its end. */
  isTold = false;
  readonly #file: TaskFile;
  readonly #directory: string;
  readonly #notes: BackgroundCommand["notes"];
  readonly #settle: () => void;
  readonly #detach: () => void;
  #tail: Tail | undefined = new Tail();
  #said: readonly string[] = [];
  #ending: TaskOutcome | undefined;
  #stopper: string | undefined;

  constructor(command: BackgroundCommand, file: TaskFile) {
    this.child = command.shell.child;
    this.callId = command.callId;
    this.description = command.description;
    this.#file = file;
    this.#directory = command.directory;
    this.#notes = command.notes;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#settle = resolve;
    const closed = new Promise<void>((done) => this.child.once("close", () => done()));
    this.#detach = readOutput(this.child, (text) => {
      this.#tail?.add(text);
      this.#file.write(text);
    });
    const ending = command.shell.exit.then(
      async (exitCode): Promise<TaskOutcome> => {
        // Output from before the exit is read in this time; another process may keep the pipe open for ever.
        if (!(await endsWithin(closed, 100))) await setImmediate();
        return { state: exitCode === 0 ? "completed" : "failed", exitCode };
      },
      (error: unknown): TaskOutcome => ({ state: "failed", message: errorMessage(error) }),
    );
    void ending.then((how) => this.#end(how));
  }

  get id(): string {
    return this.#file.id;
  }

  get isRunning(): boolean {
    return this.#ending === undefined;
  }

  /** Whether the command ended without a stop. */
  get endedByItself(): boolean {
    return this.#ending !== undefined && this.#ending.state !== "stopped";
  }

  get outputFile(): string | null {
    return this.#file.path;
  }

  /** The reason why the file lacks some of the output. */
  get problem(): string | undefined {
    return this.#file.problem;
  }

  /** Notes that a stop ends the command. */
  willBeStopped(by: string): void {
    this.#stopper ??= by;
  }

  /** Reads the remaining output and ends the task. Called when the processes are gone, or cannot be ended. */
  async stopped(): Promise<void> {
    await endsWithin(this.ended, 300);
    this.#end({ state: "stopped", by: this.#stopper ?? "" });
    await this.ended;
  }

  /** Drops the output from memory. Its end is then in the file only. */
  forgetOutput(): void {
    this.#tail = undefined;
  }

  report(timedOut = false): TaskReport {
    const { text, omitted } = this.#shown();
    const notes = [...this.#said, ...(this.problem === undefined ? [] : [unsaved(this.problem)])];
    return {
      id: this.id,
      kind: "shell",
      state: this.#ending?.state ?? "running",
      content: text,
      ...(omitted > 0 && { omitted }),
      ...(notes.length > 0 && { notes }),
      outputFile: this.outputFile,
      ...fields(this.#ending),
      timedOut,
      description: this.description,
    };
  }

  #shown(): TailText {
    return this.#tail?.show() ?? endOf(this.#file.end());
  }

  #end(how: TaskOutcome): void {
    if (this.#ending !== undefined) return;
    this.#ending = this.#stopper === undefined ? how : { state: "stopped", by: this.#stopper };
    this.#detach();
    if ("exitCode" in this.#ending)
      this.#said = this.#notes(this.#ending.exitCode, this.#shown().text);
    for (const note of this.#said) this.#file.write(`\n${note}\n`);
    this.#file.close(lastLine(this.#ending));
    // A sandbox that was given up while it was prepared may still write there.
    rm(this.#directory, { recursive: true, force: true, maxRetries: 5 }).then(
      this.#settle,
      this.#settle,
    );
  }
}

function fields(ending: TaskOutcome | undefined): Pick<TaskReport, "exitCode" | "error"> {
  if (ending === undefined || "by" in ending) return {};
  if ("exitCode" in ending) return { exitCode: ending.exitCode };
  return { error: { code: "not_started", message: ending.message } };
}

function lastLine(ending: TaskOutcome): string {
  if ("by" in ending) return `stopped ${ending.by}`;
  return "exitCode" in ending ? `exit code ${ending.exitCode}` : ending.message;
}

function unsaved(problem: string): string {
  return `[The file does not hold all of the output: ${problem}]`;
}
