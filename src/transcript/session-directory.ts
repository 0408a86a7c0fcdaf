import { constants } from "node:fs";
import { lstat, readdir, readFile } from "node:fs/promises";
import { isObject } from "../platform/is-object.ts";
import { isHeld, isRunBy } from "./lease/liveness.ts";
import { isOpen } from "./agent-on-disk.ts";
import type { AgentMeta } from "./meta.ts";

/** Facts about the agents of a session directory. Files of other programs are not counted. */
export interface SessionAgents {
  readonly count: number;
  /** Whether a live process works in this session. */
  readonly inUse: boolean;
}

/**
 * The agents of a session directory; absent if no agent of Retinue has a file in it that names this session. Links are
 * not followed: their targets belong to others.
 */
export async function agentsIn(
  directory: string,
  sessionId: string,
): Promise<SessionAgents | undefined> {
  const children = `${directory}/subagents`;
  const files = [
    ...(await namesIn(directory)).filter((name) => name === "main.meta.json"),
    ...(await namesIn(children))
      .filter((name) => /^agent-.*\.meta\.json$/.test(name))
      .map((name) => `subagents/${name}`),
  ];
  let count = 0;
  let inUse = isHeld(directory);
  for (const file of files) {
    const meta = ownMeta(await readOwn(`${directory}/${file}`), sessionId);
    if (meta === undefined) continue;
    count += 1;
    inUse ||= isOpen(meta.state) && isRunBy(meta, directory);
  }
  return count === 0 ? undefined : { count, inUse };
}

type OwnMeta = Pick<AgentMeta["retinue"], "state" | "pid" | "pidStart">;

/** Parses loosely on purpose: a file of another version is still ours. */
function ownMeta(value: unknown, sessionId: string): OwnMeta | undefined {
  const retinue = isObject(value) ? value["retinue"] : undefined;
  if (!isObject(retinue) || retinue["sessionId"] !== sessionId) return undefined;
  return retinue as unknown as OwnMeta;
}

/** Names in a directory; none if the path is not a real directory. */
async function namesIn(directory: string): Promise<string[]> {
  try {
    return (await lstat(directory)).isDirectory() ? await readdir(directory) : [];
  } catch {
    return [];
  }
}

/** Parses a file; nothing unless it is a regular file with JSON in it. */
async function readOwn(file: string): Promise<unknown> {
  try {
    if (!(await lstat(file)).isFile()) return undefined;
    const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return JSON.parse(await readFile(file, { encoding: "utf8", flag }));
  } catch {
    return undefined;
  }
}
