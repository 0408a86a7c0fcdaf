import { setTimeout as sleep } from "node:timers/promises";
import { isOpen, readAgent, type AgentOnDisk } from "../transcript/meta.ts";
import { reachAgent } from "./reach-agent.ts";

const pauseMs = 300;

/**
 * The agent once it has ended, or was interrupted. Its files tell; the process that runs it is asked to say when to look, and
 * where it cannot be, they are looked at every now and then.
 */
export async function waitForEnd(agent: AgentOnDisk, signal: AbortSignal): Promise<AgentOnDisk> {
  let asks = true;
  for (let now = agent; ;) {
    if (!isOpen(now.state) || now.state === "idle") return now;
    signal.throwIfAborted();
    if (asks) asks = await askForEnd(now, signal);
    else await sleep(pauseMs, undefined, { signal });
    now = (await readAgent(agent.file)) ?? now;
  }
}

/** Whether the owner said that it has ended. */
async function askForEnd(agent: AgentOnDisk, signal: AbortSignal): Promise<boolean> {
  try {
    using client = await reachAgent(agent, signal);
    const hangUp = (): void => client[Symbol.dispose]();
    signal.addEventListener("abort", hangUp, { once: true });
    await client.call("output", { id: agent.meta.retinue.agentId, block: true });
    signal.removeEventListener("abort", hangUp);
    return true;
  } catch {
    return false;
  }
}
