import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { LifeOptions } from "./acknowledged.ts";

/** Milestones that a life reports, in this order; then `done`. */
export type Milestone = "opening" | "open" | "working";

export interface LifeProcess {
  /** Known once it is open. */
  readonly sessionId: string | null;
  /** Resolves when it has come so far, or has ended. */
  reached(milestone: Milestone): Promise<void>;
  kill(): void;
  readonly ended: Promise<{ done: boolean; killed: boolean; complaint: string }>;
}

export function startLife(options: LifeOptions): LifeProcess {
  const program = fileURLToPath(new URL("life.ts", import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(dirname(options.cwd), "compiled") },
  });
  let complaint = "";
  let isDone = false;
  let sessionId: string | null = null;
  const milestones = {
    opening: Promise.withResolvers<void>(),
    open: Promise.withResolvers<void>(),
    working: Promise.withResolvers<void>(),
  };
  child.stderr.on("data", (text: Buffer) => (complaint += text.toString()));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [word, id] = line.split(" ");
    if (word === "done") isDone = true;
    if (word === "open") sessionId = id ?? null;
    if (word === "opening" || word === "open" || word === "working") milestones[word].resolve();
  });
  const ended = once(child, "close").then(([, signal]) => {
    for (const { resolve } of Object.values(milestones)) resolve();
    return { done: isDone, killed: signal === "SIGKILL", complaint };
  });
  return {
    get sessionId() {
      return sessionId;
    },
    reached: (milestone) => milestones[milestone].promise,
    kill: () => void child.kill("SIGKILL"),
    ended,
  };
}
