import type { ProcessTree } from "../../processes/process-tree.ts";
import type { Redactor } from "../../redact/redactor.ts";
import { endsWithin } from "../../platform/ends-within.ts";
import { ShellTask, type BackgroundCommand } from "./shell-task.ts";
import { TaskFile } from "./task-file.ts";
import { taskNotification } from "../agents/task-notification.ts";
import { unknownTask, type TaskReport, type Tasks } from "../agents/tasks.ts";

/** The part of a workbench that the commands of one agent need. */
export interface ShellOwner {
  readonly tasksDir: string;
  readonly redactor: Redactor;
  readonly processes: ProcessTree;
  /** Delivers a note. Never throws. */
  readonly notify?: ((note: TaskNote) => void) | undefined;
}

/** A message for the agent, to be delivered once. */
export interface TaskNote {
  readonly mailId: string;
  readonly text: string;
}

/** Limits for ended commands: the outputs of so many are kept in memory, and so many are known at all. */
const remembered = 32;
const known = 128;

/** The background commands of one agent. */
export class ShellTasks implements Tasks {
  readonly #owner: ShellOwner;
  /** Running commands, and the last ones that ended. */
  readonly #tasks = new Map<string, ShellTask>();
  /** Ended commands, in the order of their ends. */
  #ended: ShellTask[] = [];

  constructor(owner: ShellOwner) {
    this.#owner = owner;
  }

  has(id: string): boolean {
    return this.#tasks.has(id);
  }

  /** Adds a command that was just started. Rejects if bash could not be started after all. */
  async add(command: BackgroundCommand): Promise<ShellTask> {
    const task = new ShellTask(command, new TaskFile(this.#owner.tasksDir, this.#owner.redactor));
    this.#tasks.set(task.id, task);
    await new Promise<void>((resolve, reject) => {
      task.child.once("spawn", resolve);
      command.shell.exit.then(() => resolve(), reject);
    }).catch((error: unknown) => {
      this.#tasks.delete(task.id);
      throw error;
    });
    void task.ended.then(() => this.#hasEnded(task));
    return task;
  }

  async output(
    id: string,
    options: { block: boolean; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<TaskReport> {
    const task = this.#find(id);
    let timedOut = false;
    if (options.block && task.isRunning) {
      task.awaited += 1;
      try {
        timedOut = !(await endsWithin(task.ended, options.timeoutMs, signal));
      } finally {
        task.awaited -= 1;
      }
    }
    task.isTold ||= !task.isRunning;
    return task.report(timedOut);
  }

  /** Stops a command, and everything that an ended command left running. */
  async stop(id: string): Promise<TaskReport> {
    const task = this.#find(id);
    task.willBeStopped("by TaskStop");
    const died = await this.#owner.processes.kill(task.child);
    await task.stopped();
    return { ...task.report(), died };
  }

  /** Prepares the end of the agent: commands that end from now on are not reported. */
  willBeStopped(): void {
    for (const task of this.#tasks.values()) task.willBeStopped("when its agent ended");
  }

  /** Closes all files, after `willBeStopped` and the end of the processes. */
  async stopped(): Promise<void> {
    await Promise.all(this.#tasks.values().map((task) => task.stopped()));
    this.#tasks.clear();
    this.#ended = [];
  }

  #find(id: string): ShellTask {
    const task = this.#tasks.get(id);
    if (task === undefined) throw unknownTask(id);
    return task;
  }

  #hasEnded(task: ShellTask): void {
    this.#ended.push(task);
    this.#ended.at(-1 - remembered)?.forgetOutput();
    // Processes that it left running still end with the agent.
    if (this.#ended.length > known) this.#tasks.delete(this.#ended.shift()?.id ?? "");
    if (!task.endedByItself || task.isTold || task.awaited > 0) return;
    const { id, callId, description } = task;
    const { state, exitCode, outputFile } = task.report();
    const code = exitCode === undefined ? "" : ` (exit code ${exitCode})`;
    const summary = `Background command "${description}" ${state}${code}`;
    const about = { taskId: id, toolUseId: callId, outputFile, status: state, summary };
    this.#owner.notify?.({ mailId: id, text: taskNotification(about) });
  }
}
