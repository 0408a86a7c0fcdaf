import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import { until } from "./until.ts";

export interface Sleepers {
  /** Starts one of each kind that is hard to find again, and returns. */
  script: string;
  /** How many there are once the script has run. */
  count: number;
  /** How many live now. */
  alive: () => number;
  /** Resolves when so many live. */
  until: (count: number) => Promise<void>;
}

/** Processes that sleep for a time nobody else does, so that they can be counted whatever they did to their marks. */
export function sleepers(): Sleepers {
  const time = `300.${randomInt(1e9, 1e10)}`;
  const sleep = `sleep ${time}`;
  const kinds = [
    `${sleep} &`,
    `setsid ${sleep} &`,
    `nohup ${sleep} &`,
    `(${sleep} &)`,
    `(setsid bash -c '(${sleep} &) ; trap "" TERM; ${sleep}; :' &)`,
    `(env -i ${sleep} &)`,
    `(env -i setsid ${sleep} &)`,
    `(env -i setsid bash -c 'trap "" TERM; ${sleep}; :' &)`,
  ];
  const living = (): string[] =>
    readdirSync("/proc").filter((pid) => commandOf(pid) === `sleep\0${time}\0`);
  const alive = (): number => living().length;
  // A test that fails leaves nothing either.
  onTestFinished(() => {
    for (const pid of living()) process.kill(Number(pid), "SIGKILL");
  });
  return {
    script: `{ ${kinds.join("\n")}\n} >/dev/null 2>&1`,
    count: 9,
    alive,
    until: (count) => until(() => expect(alive()).toBe(count)),
  };
}

function commandOf(pid: string): string {
  try {
    return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
  } catch {
    return "";
  }
}
