import { closeSync, constants, openSync, readdirSync, readlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ancestorsOf } from "./agents-of.ts";
import { owner } from "./owner.ts";
import type { Process } from "./process-table.ts";

const prefix = "retinue-owner~";
let isShown = false;

/**
 * Shows that this process is a Retinue which starts commands of agents: it has a file open whose name says so. The file is
 * removed at once, and no child inherits it. A command of an agent cannot take it away, as it could end the guard.
 */
export function showOwner(): void {
  if (isShown || process.platform !== "linux") return;
  const path = join(tmpdir(), `${prefix}${owner}`);
  const { O_RDONLY, O_CREAT, O_EXCL } = constants;
  let file: number | undefined;
  try {
    file = openSync(path, O_RDONLY | O_CREAT | O_EXCL, 0o400);
    unlinkSync(path);
    isShown = true;
  } catch {
    // The next command tries again.
    if (file !== undefined) closeSync(file);
  }
}

/**
 * The leaders of sessions that a living Retinue has started, and in which a process is, or one above it. Commands of agents are started
 * so, and a command that replaces itself (`exec env -i`) loses its marks but not its parent.
 */
export function ledByRetinue(table: readonly Process[], pid: number): Process[] {
  const byPid = new Map(table.map((one) => [one.pid, one]));
  const self = byPid.get(pid);
  const line = self === undefined ? [] : [self, ...ancestorsOf(table, pid)];
  const leaders = new Set(line.flatMap(({ session }) => byPid.get(session ?? 0) ?? []));
  return [...leaders].filter(({ parent }) => isRetinue(parent));
}

/** Whether a process has shown that it is one. */
export function isRetinue(pid: number): boolean {
  const directory = `/proc/${pid}/fd`;
  try {
    return readdirSync(directory).some((name) => isOwner(`${directory}/${name}`));
  } catch {
    // Ended, or of another user.
    return false;
  }
}

function isOwner(link: string): boolean {
  try {
    return readlinkSync(link, "latin1").includes(`/${prefix}`);
  } catch {
    return false;
  }
}
