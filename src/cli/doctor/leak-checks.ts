import { namesIn } from "../../platform/files/names-in.ts";
import { lstatSync } from "node:fs";
import { glob, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { leftLocks, removeIfLeft } from "../../platform/files/file-lock.ts";
import { processStart } from "../../processes/process-start.ts";
import { removeTree, unlessGone } from "../../platform/files/remove-tree.ts";
import { ownerOf } from "../../platform/files/temporary-name.ts";
import { readLease } from "../../transcript/lease/lease.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";
import { isDeadSocket } from "../../control/dead-socket.ts";

const remedy = "retinue doctor --fix";

/** Checks for leaks that no later process removed. Each leak is checked again before it is removed. */
export const leakChecks: readonly DoctorCheck[] = [
  {
    name: "orphan processes",
    look: async ({ orphans }) => {
      if (orphans === undefined) return [];
      const found = await orphans.find();
      return orNone(
        found.map(({ pid, command }) => ({ leak: String(pid), what: `${pid} ${command}` })),
      );
    },
    // Ends all at once, and only those that are still orphans.
    fix: async (_, { orphans }) => void (await orphans?.reap()),
  },
  {
    name: "leases",
    look: async ({ configDir }) => {
      const projects = join(configDir, "projects");
      const files = await Array.fromAsync(glob("*/*/lease.json", { cwd: projects }));
      const paths = files.toSorted().map((file) => join(projects, file));
      const left = paths.filter(isLeftLease);
      return orNone(left.map((leak) => ({ leak, what: `${leak} of a process that is gone` })));
    },
    fix: async (path) => {
      if (isLeftLease(path)) await unlessGone(() => unlink(path));
    },
  },
  {
    name: "sockets",
    look: async ({ socketDirs }) => {
      const paths = socketDirs.flatMap((directory) =>
        namesIn(directory)
          .filter((name) => name.endsWith(".sock"))
          .map((name) => join(directory, name)),
      );
      const left = await keep(paths, isDeadSocket);
      return orNone(left.map((leak) => ({ leak, what: `${leak}: nobody listens to it` })));
    },
    fix: async (path) => {
      if (await isDeadSocket(path)) await unlessGone(() => unlink(path));
    },
  },
  {
    name: "locks",
    look: ({ configDir }) =>
      Promise.resolve(
        orNone(
          leftLocks(join(configDir, "retinue", "locks")).map((leak) => ({
            leak,
            what: `${leak} of a process that is gone`,
          })),
        ),
      ),
    fix: async (path) => void removeIfLeft(path),
  },
  {
    name: "temporary files",
    look: ({ temporaryDir }) => {
      const left = namesIn(temporaryDir)
        .map((name) => join(temporaryDir, name))
        .filter(isLeftTemporary);
      return Promise.resolve(
        orNone(left.map((leak) => ({ leak, what: `${leak} of a process that is gone` }))),
      );
    },
    fix: async (path) => {
      if (isLeftTemporary(path)) await removeTree(path);
    },
  },
];

function orNone(leaks: readonly { leak: string; what: string }[]): DoctorFinding[] {
  if (leaks.length === 0) return [{ status: "ok", what: "none" }];
  return leaks.map((leak) => ({ ...leak, status: "problem", remedy }));
}

async function keep(
  paths: readonly string[],
  isLeft: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const left: string[] = [];
  for (const path of paths) if (await isLeft(path)) left.push(path);
  return left;
}

function isLeftLease(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const found = readLease(path);
  return found.state === "stale" || (found.state === "blank" && found.stale);
}

const day = 86_400_000;

/** Whether a directory is ours, belongs to a process that is gone, and has not changed for a day. */
function isLeftTemporary(path: string): boolean {
  const owner = ownerOf(basename(path));
  if (owner === undefined || processStart(owner) !== "") return false;
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info?.isDirectory() !== true || info.uid !== process.getuid?.()) return false;
  return Date.now() - info.mtimeMs > day;
}
