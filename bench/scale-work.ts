/**
 * One measurement of many agents, of a long conversation or of a long transcript, in a process of its own. Prints its
 * figures as JSON.
 *
 * Usage: node --expose-gc scale-work.ts <task as JSON>
 */
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { openFleet, type Fleet, type FleetOptions, type ProgramName } from "./scale-fleet.ts";
import { promptFor, reportOf } from "./scale-model.ts";
import { numbers } from "./script.ts";

export type ScaleTask = {
  program: ProgramName;
  fleet: Omit<FleetOptions, "onRequest">;
} & ScaleWork;

export type ScaleWork =
  /** Agents that all run at once. */
  | { kind: "crowd"; agents: number; reads: number }
  /**
   * Agents one after the other, `atOnce` of them at a time; memory is collected and read after each of these numbers.
   */
  | { kind: "sequence"; reads: number; after: readonly number[] }
  /** Short conversations to compare with, after as many to warm up, then long ones, one after the other. */
  | { kind: "long"; short: number; turns: number; agents: number }
  | { kind: "transcript"; path: string };

export interface CrowdFigures {
  wallMs: number;
  cpuMs: number;
  peakMiB: number;
  /** Delay of the event loop that 99 of 100 rounds stay below. */
  loopDelayMs: number;
  longestDelayMs: number;
}

export interface SequenceFigures {
  /** The heap after each of the numbers. */
  heapMiB: number[];
}

export interface LongFigures {
  /** CPU of one turn around the tenth, and at the end. */
  earlyMs: number;
  lateMs: number;
}

export interface TranscriptFigures {
  ms: number;
  messages: number;
}

const task = JSON.parse(process.argv[2] ?? "{}") as ScaleTask;
process.stdout.write(JSON.stringify(await measured(task)));

function measured(task: ScaleTask): Promise<object> {
  switch (task.kind) {
    case "crowd":
      return crowd(task);
    case "sequence":
      return sequence(task);
    case "long":
      return long(task);
    case "transcript":
      return transcript(task);
  }
}

async function crowd(task: Extract<ScaleTask, { kind: "crowd" }>): Promise<CrowdFigures> {
  const fleet = await openFleet(task.program, task.fleet);
  const resolution = 1;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const before = performance.now();
  const cpuBefore = process.cpuUsage();
  await Promise.all(numbers(task.agents).map((agent) => work(fleet, agent, task.reads)));
  const wallMs = performance.now() - before;
  const { user, system } = process.cpuUsage(cpuBefore);
  delay.disable();
  await fleet.close();
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution);
  return {
    wallMs,
    cpuMs: (user + system) / 1000,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    loopDelayMs: late(delay.percentile(99)),
    longestDelayMs: late(delay.max),
  };
}

async function sequence(task: Extract<ScaleTask, { kind: "sequence" }>): Promise<SequenceFigures> {
  const fleet = await openFleet(task.program, task.fleet);
  const heapMiB: number[] = [];
  let next = 0;
  for (const agents of task.after) {
    const lane = async (): Promise<void> => {
      while (next < agents) await work(fleet, next++, task.reads);
    };
    await Promise.all(numbers(task.fleet.atOnce).map(lane));
    await collectGarbage();
    heapMiB.push(process.memoryUsage().heapUsed / 2 ** 20);
  }
  await fleet.close();
  return { heapMiB };
}

/** Collects garbage twice, because finalizers free more. */
async function collectGarbage(): Promise<void> {
  for (const _ of numbers(2)) {
    globalThis.gc?.();
    await setTimeout(200);
  }
}

/** Measures CPU at requests, so that a turn goes from one request to the next. */
async function long(task: Extract<ScaleTask, { kind: "long" }>): Promise<LongFigures> {
  let atRequest: number[] = [];
  const onRequest = (): void => {
    const { user, system } = process.cpuUsage();
    atRequest.push((user + system) / 1000);
  };
  const fleet = await openFleet(task.program, { ...task.fleet, onRequest });
  const turnOf = async (turns: number, from: number, to: number): Promise<number> => {
    atRequest = [];
    await work(fleet, 0, turns - 1);
    return ((atRequest[to - 1] ?? Number.NaN) - (atRequest[from - 1] ?? Number.NaN)) / (to - from);
  };
  const mean = async (agents: number, turn: () => Promise<number>): Promise<number> => {
    let sum = 0;
    for (const _ of numbers(agents)) sum += await turn();
    return sum / agents;
  };
  const early = (): Promise<number> => turnOf(20, 5, 15);
  // Cold code is slow, and would slow down only the early turns.
  const { short, turns } = task;
  await mean(short, early);
  const earlyMs = await mean(short, early);
  const lateMs = await mean(task.agents, () => turnOf(turns, Math.floor(turns * 0.975), turns));
  await fleet.close();
  return { earlyMs, lateMs };
}

async function transcript(
  task: Extract<ScaleTask, { kind: "transcript" }>,
): Promise<TranscriptFigures> {
  if (task.program === "floor") {
    const before = performance.now();
    const lines = readFileSync(task.path, "utf8").split("\n");
    const messages = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as object);
    return { ms: performance.now() - before, messages: messages.length };
  }
  const { conversationOf, readTranscript } = await import("../dist/transcript/reader.js");
  const before = performance.now();
  const conversation = conversationOf(await readTranscript(task.path));
  return { ms: performance.now() - before, messages: conversation.length };
}

async function work(fleet: Fleet, agent: number, reads: number): Promise<void> {
  const report = await fleet.run(promptFor(agent, reads));
  if (report !== reportOf(agent)) throw new Error(`An agent reported: ${report}`);
}
