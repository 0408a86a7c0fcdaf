import { agentsOf, ancestorsOf } from "./agents-of.ts";
import { isInLostSession } from "./lost-session.ts";
import { processStart } from "./process-start.ts";
import { readProcesses, type Process } from "./process-table.ts";
import { agentsInSession } from "./process-tree.ts";
import { ledByRetinue } from "./shown-owner.ts";
import { shows } from "./sign.ts";

/** The refusal of a process that asked to speak as the user. */
export interface RefusedSpeaker {
  /** Process id that it claims. */
  readonly pid: number | null;
  /** Agents that it works for. */
  readonly agents: readonly string[];
  /** Sentence without its full stop. */
  readonly reason: string;
}

/** A process that asks to speak: the id that it claims, and the sign that proves it. */
export interface Speaker {
  readonly pid: number;
  readonly sign: string;
}

/**
 * Decides whether a process may speak as the user; `null`: it may. It must show its sign, so that no process borrows
 * another's id. It must not work for an agent, nor be in a session that an agent may
 * have opened, nor below one that another Retinue has opened. Agents that this
 * process itself works for are exempt: they started it, and steer it as a program would. Without `/proc` processes
 * cannot be told apart, and every process may speak.
 */
export async function refusalOf(
  { pid, sign }: Speaker,
  options: {
    /** Whether to refuse processes that this one started. */
    notOurs?: boolean;
  } = {},
): Promise<RefusedSpeaker | null> {
  if (process.platform !== "linux") return null;
  const refused = (reason: string, agents: readonly string[] = []): RefusedSpeaker => ({
    pid,
    agents,
    reason,
  });
  const started = processStart(pid);
  if (!shows(pid, sign)) return refused(`process ${pid} has not confirmed it`);
  const table = await readProcesses();
  const speaker = table.find((one) => one.pid === pid);
  if (speaker === undefined || speaker.started !== started)
    return refused(`process ${pid} is gone`);
  const agents = foreignAgents(speaker, table);
  if (agents.length > 0) return refused(`it works for agent ${agents.join(", ")}`, agents);
  const leader = foreignLeader(speaker, table);
  if (leader !== undefined)
    return refused(
      `the Retinue of process ${leader.parent} has started it, as commands of agents are`,
    );
  if (isInLostSession(speaker, table) && !isBesideUs(speaker, table))
    return refused(
      `the process that opened session ${speaker.session} has ended and cannot be checked`,
    );
  if (options.notOurs === true && isBelowUs(pid, table))
    return refused("the session's own process has started it");
  return null;
}

function foreignAgents(speaker: Process, table: readonly Process[]): string[] {
  const ours = agentsOf(table, process.pid);
  const found = [...agentsOf(table, speaker.pid)].filter((agent) => !ours.has(agent));
  return [...new Set([...found, ...agentsInSession(speaker, table)])];
}

/** A session that another Retinue has opened, and in which we are not. Of our own ones the agents are known. */
function foreignLeader(speaker: Process, table: readonly Process[]): Process | undefined {
  const ours = ledByRetinue(table, process.pid);
  return ledByRetinue(table, speaker.pid).find(
    (one) => one.parent !== process.pid && !ours.includes(one),
  );
}

/** Whether its session and ours have the same leader. */
function isBesideUs({ session }: Process, table: readonly Process[]): boolean {
  return table.some((one) => one.pid === process.pid && one.session === session);
}

function isBelowUs(pid: number, table: readonly Process[]): boolean {
  return ancestorsOf(table, pid).some((one) => one.pid === process.pid);
}
