import { ToolFailure } from "../tool.ts";

/** The state of a task in the background. */
export interface TaskReport {
  id: string;
  kind: "agent" | "shell";
  /** `running`, `completed`, `failed`, `stopped`, … */
  state: string;
  /** The end of its output, or its last text. */
  content: string;
  /** Characters in front of `content` that are only in the file. */
  omitted?: number;
  /** Further notes: one line each. */
  notes?: readonly string[];
  /** The file with the whole output; `null`: there is none. */
  outputFile: string | null;
  exitCode?: number;
  error?: { code: string; message: string };
  /** Whether the caller waited and the task did not end in time. */
  timedOut: boolean;
  description?: string;
  /** The number of processes that a stop has ended. */
  died?: number;
}

/** Tasks beside an agent: agents and commands in the background. */
export interface Tasks {
  /**
   * Reports on a task; with `block` when it has ended, or when the time is up. Throws `unknownTask` for tasks that the
   * asking agent may not see. Rejects with `signal.reason`.
   */
  output(
    id: string,
    options: { block: boolean; timeoutMs: number },
    signal: AbortSignal,
  ): Promise<TaskReport>;
  /** Ends a task, and resolves when it has ended. Throws `unknownTask` too. */
  stop(id: string): Promise<TaskReport>;
}

export function unknownTask(id: string): ToolFailure {
  return new ToolFailure(
    `unknown task_id: ${id}. Use the id that the starting call returned. A command that ended long ago has only its output file left.`,
  );
}

/** Tasks of an agent: its own commands first, then the agents that it may see. */
export function tasksOf(context: {
  workbench: { shells: Tasks & { has(id: string): boolean } };
  agents?: Tasks | undefined;
}): Tasks {
  const { shells } = context.workbench;
  const holder = (id: string): Tasks => {
    const found = shells.has(id) ? shells : context.agents;
    if (found === undefined) throw unknownTask(id);
    return found;
  };
  return {
    output: async (id, options, signal) => holder(id).output(id, options, signal),
    stop: async (id) => holder(id).stop(id),
  };
}

/** `b12 completed (exit code 0)` */
export function standing({ id, state, exitCode, error }: TaskReport): string {
  const code = exitCode === undefined ? "" : ` (exit code ${exitCode})`;
  const cause = error === undefined ? "" : `: ${error.message}`;
  return `${id} ${state === "running" ? "is running" : state}${code}${cause}`;
}
