import type { ControlClient } from "../../control/client.ts";
import { reachSession } from "../../control/reach-session.ts";
import { RetinueError } from "../../contract/errors.ts";
import { isOpen, sessionDirectory, type AgentOnDisk } from "../../transcript/agent-on-disk.ts";

/**
 * Connects to the process that runs an agent. Throws `not_running` when no process does, and `unreachable` when that
 * process does not answer.
 */
export async function reachAgent(agent: AgentOnDisk, signal?: AbortSignal): Promise<ControlClient> {
  if (!isOpen(agent.record.state)) throw notRunning(agent);
  const client = await reachOwner(agent, signal);
  // The agent runs without a lease: its version has none.
  if (client === undefined) throw deaf(agent, agent.runner.pid);
  return client;
}

/**
 * Connects to the owner of an agent's session, whether the agent has ended or not; nothing when there is none. Throws
 * `unreachable`.
 */
export function reachOwner(
  agent: AgentOnDisk,
  signal?: AbortSignal,
): Promise<ControlClient | undefined> {
  return reachSession(sessionDirectory(agent.file), { deaf: (pid) => deaf(agent, pid), signal });
}

function deaf({ record }: AgentOnDisk, pid: number): RetinueError {
  const { id } = record;
  return new RetinueError(
    "unreachable",
    `Agent ${id} runs in process ${pid}, which has no control socket: it is an older Retinue, or a program that does not call serveSession(manager). 'retinue logs -f ${id}' follows it; 'kill ${pid}' ends the process.`,
  );
}

/** Connections to many agents, one for each of their sessions. */
export class AgentLines implements Disposable {
  readonly #lines = new Map<string, Promise<ControlClient>>();

  reach(agent: AgentOnDisk): Promise<ControlClient> {
    const session = sessionDirectory(agent.file);
    const line = this.#lines.get(session) ?? reachAgent(agent);
    this.#lines.set(session, line);
    return line;
  }

  [Symbol.dispose](): void {
    for (const line of this.#lines.values())
      void line.then(
        (client) => client[Symbol.dispose](),
        () => undefined,
      );
  }
}

export function notRunning({ record, runner }: AgentOnDisk): RetinueError {
  const { id, state } = record;
  const { pid } = runner;
  const how =
    state === "interrupted"
      ? `was interrupted: its process ${pid} is gone`
      : `has ended: it is ${state}`;
  const remedy =
    state === "completed"
      ? `'retinue output ${id}' prints its result; 'retinue resume ${id} "…"' gives it another task`
      : `'retinue resume ${id}' continues it`;
  return new RetinueError("not_running", `Agent ${id} ${how}. ${remedy}.`);
}
