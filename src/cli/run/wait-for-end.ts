import { setTimeout as sleep } from "node:timers/promises";
import { RetinueError } from "../../contract/errors.ts";
import { isOpen, readAgent, type AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import { reachAgent } from "../find/reach-agent.ts";

const pauseMs = 300;

/** The most failed reads: a file that is being written can be read a moment later. */
const mostMisses = 3;

/**
 * Waits until the agent has ended or was interrupted, which its files tell. The owner is asked when to look; where it
 * cannot be, the files are polled. Throws `unknown_task` when they are gone.
 */
export async function waitForEnd(agent: AgentOnDisk, signal: AbortSignal): Promise<AgentOnDisk> {
  let asks = true;
  let misses = 0;
  for (let now = agent; ;) {
    if (!isOpen(now.record.state) || now.record.state === "idle") return now;
    signal.throwIfAborted();
    if (asks) asks = await askForEnd(now, signal);
    else await sleep(pauseMs, undefined, { signal });
    const found = await readAgent(agent.file);
    misses = found === undefined ? misses + 1 : 0;
    if (misses >= mostMisses) throw gone(agent);
    asks &&= found !== undefined;
    now = found ?? now;
  }
}

function gone({ record, file }: AgentOnDisk): RetinueError {
  return new RetinueError(
    "unknown_task",
    `The end of agent ${record.id} is unknown: ${file} is missing or cannot be read. 'retinue ps -a' lists what is left.`,
  );
}

/** Whether the owner said that it has ended. */
async function askForEnd(agent: AgentOnDisk, signal: AbortSignal): Promise<boolean> {
  try {
    using client = await reachAgent(agent, signal);
    const hangUp = (): void => client[Symbol.dispose]();
    signal.addEventListener("abort", hangUp, { once: true });
    await client.call("output", { id: agent.record.id, block: true });
    signal.removeEventListener("abort", hangUp);
    return true;
  } catch {
    return false;
  }
}
