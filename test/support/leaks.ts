import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ensureGuard, guardName } from "../../src/processes/guard.ts";
import { owner } from "../../src/processes/owner.ts";
import { readProc } from "../../src/processes/process-table.ts";
import type { Manager } from "../../src/index.ts";

/** Resources of a process that end with it, or should: each class as a list of names, with repetitions. */
type Holdings = Record<
  "processes" | "sockets" | "files" | "resources" | "listeners" | "temporary files",
  string[]
>;

/**
 * Remembers what this process holds now. The function it returns resolves when nothing has come to it, and throws with
 * the names of what has and stays. To be called when everything that was opened in between should be closed.
 *
 * It does not see listeners of anything but this process (of an `AbortSignal`, say), timers and handles that are
 * unref'd, memory, nor a process that is neither below this one nor carries its mark.
 */
export function watchForLeaks(options: {
  /** Connections are not looked at: they belong to something of the test that is still open. */
  exceptConnections: boolean;
  /** For what ends on the next turns of the event loop, or is another process that has just been told. */
  settleMs?: number;
}): (manager?: Manager) => Promise<void> {
  // One for the whole process, started when it is first needed: it is no leak of whoever that is.
  ensureGuard();
  const before = holdings();
  // The test runner's own timer may be running now, and would make up for one that is left.
  before.resources = before.resources.filter((name) => name !== "Timeout");
  return async (manager) => {
    const deadline = performance.now() + (options.settleMs ?? 30_000);
    for (;;) {
      const found = newIn(holdings(), before).filter(
        (leak) => !options.exceptConnections || !/^sockets|TCPSocketWrap$/.test(leak),
      );
      const leaks = [...found, ...openAgents(manager)];
      if (leaks.length === 0) return;
      if (performance.now() > deadline)
        throw new Error(`Left behind after the test:\n  ${leaks.join("\n  ")}`);
      await setTimeout(10);
    }
  };
}

function openAgents(manager: Manager | undefined): string[] {
  const open = manager?.list() ?? [];
  return open.map(({ id, state }) => `agents: ${id} is ${state}`);
}

function newIn(after: Holdings, before: Holdings): string[] {
  return Object.entries(after).flatMap(([kind, names]) => {
    const known = [...before[kind as keyof Holdings]];
    return names.flatMap((name) => {
      const index = known.indexOf(name);
      if (index === -1) return [`${kind}: ${name}`];
      known.splice(index, 1);
      return [];
    });
  });
}

function holdings(): Holdings {
  const open = openFiles();
  return {
    processes: processes(),
    sockets: open.filter((target) => /^(?:socket|pipe):/.test(target)),
    files: open.filter((target) => target.startsWith("/")),
    resources: process.getActiveResourcesInfo().filter((name) => !passing.has(name)),
    listeners: listeners(),
    "temporary files": temporaryFiles(),
  };
}

/** The directory of a user's sockets stays, what is in it does not. */
function temporaryFiles(): string[] {
  const socketDir = `retinue-${process.getuid?.()}`;
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith("retinue-"))
    .flatMap((name) => (name === socketDir ? readdirSync(join(tmpdir(), name)) : [name]));
}

/** They end by themselves: work of one turn, and requests to the file system. */
const passing = new Set(["Immediate", "FSReqCallback", "FSReqPromise", "CloseReq"]);

/** Descriptors of the event loop itself (`anon_inode:…`) come with its first use of something and stay. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((number) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${number}`);
      return /^\/proc\/(?:self|\d+)\/fd$/.test(target) ? [] : [target];
    } catch {
      return [];
    }
  });
}

/**
 * Of this process and of its signals. What kills processes at its exit is registered once, when it is first needed, and
 * so is what removes the mount points of the sandbox.
 */
function listeners(): string[] {
  return process.eventNames().flatMap((event) =>
    process
      .listeners(event as NodeJS.Signals)
      .filter(({ name }) => name !== "killAtExit")
      .filter((listener) => !String(listener).includes("cleanupBwrapMountPoints"))
      .map(({ name }) => `${String(event)} ${name || "(anonymous)"}`),
  );
}

/** What is below this process or carries its mark, wherever it went. Guards have no number: which one it is may change. */
function processes(): string[] {
  const all = readProc();
  const found = new Set(
    all.filter(({ parent, owners }) => parent === process.pid || owners.includes(owner)),
  );
  const children = Map.groupBy(all, ({ parent }) => parent);
  for (const { pid } of found) for (const child of children.get(pid) ?? []) found.add(child);
  return [...found].flatMap(({ pid }) => {
    const words = textOf(`/proc/${pid}/cmdline`).split("\0").slice(0, -1);
    if (words[0] === guardName) return words.at(-1) === owner ? [guardName] : [];
    return [`${pid} ${words.join(" ").slice(0, 200)}`];
  });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
