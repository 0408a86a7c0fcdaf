import { watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../shell-fuzz/random.ts";
import type { LifeProcess, Milestone } from "./life-process.ts";

/** The time at which a life ends: so long after a milestone; or then at the next write to one of its files. */
export interface KillInstant {
  readonly after: Milestone | "start";
  readonly ms: number;
  readonly atWrite: boolean;
}

/** Most while agents work; also at the start, while files are opened, and while agents are being brought back. */
export function chooseInstant(random: Random): KillInstant {
  const draw = random.below(100);
  const of = (after: KillInstant["after"], longest: number, atWrite = false): KillInstant => ({
    after,
    ms: random.below(longest),
    atWrite,
  });
  if (draw < 5) return of("start", 200);
  if (draw < 15) return of("opening", 60);
  if (draw < 40) return of("open", 120);
  if (draw < 60) return of("working", 300, true);
  return of("working", 600);
}

/** Kills a life at that instant, unless it ends by itself before. */
export async function killAt(
  life: LifeProcess,
  { after, ms, atWrite }: KillInstant,
  directory: string,
): Promise<void> {
  const ended = life.ended.then(() => "ended" as const);
  if (after !== "start") await life.reached(after);
  if ((await Promise.race([sleep(ms), ended])) === "ended") return;
  if (!atWrite) return life.kill();
  const written = Promise.withResolvers<void>();
  const watching = watch(directory, { recursive: true }, (_, name) => {
    if (name?.endsWith(".jsonl") !== true) return;
    life.kill();
    written.resolve();
  });
  await Promise.race([written.promise, ended]);
  watching.close();
}
