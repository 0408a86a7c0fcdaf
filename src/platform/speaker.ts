import { readdirSync, readlinkSync } from "node:fs";
import { agentsOf, ancestorsOf } from "./agents-of.ts";
import type { CallBack } from "./call-back.ts";
import { processStart, readProcFile } from "./process-start.ts";
import { readProcesses, type Process } from "./process-table.ts";
import { agentsInSession } from "./process-tree.ts";

/** Why a process may not speak as the user. */
export interface RefusedSpeaker {
  /** The process, by its own word. */
  readonly pid: number | null;
  /** The agents that it works for. */
  readonly agents: readonly string[];
  /** A sentence without its full stop. */
  readonly reason: string;
}

/**
 * Whether the process that we have called back may speak as the user; nothing is wrong with `null`. It must hold the other
 * end of the connection, so that nobody borrows the process id of another, and must not work for an agent. Exempt are
 * agents that we ourselves work for: they have started us, and steer us as a program would.
 *
 * To be asked when the process has said something over the connection: before, it may not have taken it yet. Where there is
 * no `/proc` nobody can be told from anybody else, and everybody who was called back may speak.
 */
export async function refusalOf(
  at: CallBack,
  options: {
    /** Also refuses what we have started ourselves. */
    notOurs?: boolean;
  } = {},
): Promise<RefusedSpeaker | null> {
  if (process.platform !== "linux") return null;
  const { pid } = at;
  const refused = (reason: string, agents: readonly string[] = []): RefusedSpeaker => ({
    pid,
    agents,
    reason,
  });
  const started = processStart(pid);
  if (!holdsOtherEnd(at)) return refused(`process ${pid} is not the one that is connected`);
  const table = await readProcesses();
  const speaker = table.find((one) => one.pid === pid);
  if (speaker === undefined || speaker.started !== started)
    return refused(`process ${pid} is gone`);
  const agents = foreignAgents(speaker, table);
  if (agents.length > 0) return refused(`it works for agent ${agents.join(", ")}`, agents);
  if (options.notOurs === true && isBelowUs(pid, table))
    return refused("the session's own process has started it");
  return null;
}

function foreignAgents(speaker: Process, table: readonly Process[]): string[] {
  const ours = agentsOf(table, process.pid);
  const found = [...agentsOf(table, speaker.pid)].filter((agent) => !ours.has(agent));
  return [...new Set([...found, ...agentsInSession(speaker, table)])];
}

function isBelowUs(pid: number, table: readonly Process[]): boolean {
  return ancestorsOf(table, pid).some((one) => one.pid === process.pid);
}

/** Whoever listened at the address may have accepted several connections; one that it does not hold is somebody else's. */
function holdsOtherEnd({ pid, address }: CallBack): boolean {
  const ends = connectionsNamed(address);
  const held = new Set(socketsOf(pid));
  return ends.length > 0 && ends.every((inode) => held.has(`socket:[${inode}]`));
}

/** A connection has the name of the address at which it was accepted. Its end that dialed has none. */
function connectionsNamed(address: string): string[] {
  return readProcFile("/proc/net/unix")
    .split("\n")
    .flatMap((line) => {
      const [, , , flags, , , inode, ...name] = line.trim().split(/\s+/);
      // Some programs fill an abstract name up with zeros, which are shown like this.
      if (name.join(" ").replace(/@+$/, "") !== address || flags === listens) return [];
      return [inode ?? ""];
    });
}

const listens = "00010000";

/** None when the process is gone or belongs to somebody else. */
function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
