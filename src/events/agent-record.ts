/**
 * The record of one agent: its identity, its state and its usage, as plain JSON. Memory, the meta file, transcripts
 * read back, rows of the library and the terminal's views all hold this record, and only the functions below change it.
 * The file imports nothing of Node, so that a web page can use it unchanged.
 */
import type {
  AgentFailure,
  AgentFigures,
  AgentResult,
  DeniedCall,
} from "../contract/agent-result.ts";
import type { AgentId, SessionId } from "../contract/ids.ts";
import { addCost, addUsage, noUsage, toolUsesOf, type Usage } from "../contract/message.ts";
import type { AgentEvent, AgentIdentity, EventHeader, WaitReason } from "./event.ts";

/** States of an agent. `interrupted`: the process is gone, and the end is not recorded. */
export const agentStates = [
  "queued",
  "running",
  "waiting",
  "idle",
  "completed",
  "failed",
  "stopped",
  "interrupted",
] as const;

export type AgentState = (typeof agentStates)[number];

export interface AgentRecord extends AgentIdentity {
  readonly id: AgentId;
  readonly sessionId: SessionId;
  readonly state: AgentState;
  readonly waitReason: WaitReason | null;
  /** Time of the first start; before that, of the request. */
  readonly startedAt: number;
  readonly hasStarted: boolean;
  /** Time at which the last run ended; `null` while one is under way. */
  readonly endedAt: number | null;
  /** The number of runs that have ended. */
  readonly runs: number;
  /** The run under way, or the last one. */
  readonly run: RunUsage;
  /** All runs before that one. */
  readonly before: Used;
  readonly lastTool: string | null;
  /** The end of the last run; its text is in the transcript. `null` while a run is under way. */
  readonly end: RunEnd | null;
}

/** The resources that one or several runs used. */
export interface Used {
  readonly turns: number;
  /** Calls in the answers. */
  readonly toolUses: number;
  readonly usage: Usage;
  /** Cost in US dollars; `null` = unknown, because the price of some answer is. */
  readonly costUsd: number | null;
}

export interface RunUsage extends Used {
  /** The time at which the run left the queue. */
  readonly startedAt: number;
  readonly denials: number;
  /** Denied calls, each call's reason once; at most 20. */
  readonly deniedCalls: readonly DeniedCall[];
  readonly lastUsage: Usage;
}

export type RunEnd = { readonly durationMs: number; readonly contentFile?: string } & (
  | { readonly state: "completed" }
  | { readonly state: "failed"; readonly error: AgentFailure }
  | { readonly state: "stopped"; readonly reason: string }
);

/**
 * The part of a record that is older than the run under way. A run that resumes an interrupted one continues its usage.
 */
export type EarlierRuns = Pick<AgentRecord, "startedAt" | "hasStarted" | "runs" | "run" | "before">;

export const nothingUsed: Used = { turns: 0, toolUses: 0, usage: noUsage, costUsd: 0 };

const mostDenied = 20;

/** The record of an agent that is new to a reader. */
export function introduce(
  { agentId, sessionId, at }: EventHeader,
  agent: AgentIdentity & { readonly earlier?: EarlierRuns },
): AgentRecord {
  return {
    ...identityOf(agent),
    id: agentId,
    sessionId,
    state: agent.standing ? "idle" : "queued",
    waitReason: null,
    startedAt: at,
    hasStarted: false,
    endedAt: null,
    runs: 0,
    run: newRun(at, nothingUsed),
    before: nothingUsed,
    lastTool: null,
    end: null,
    ...agent.earlier,
  };
}

/** The part of a record that is older than the run about to begin; `undefined` for the first run. */
export function earlierRuns(record: AgentRecord): EarlierRuns | undefined {
  const { startedAt, hasStarted, runs, run, before } = record;
  const isFirst = !hasStarted && run.turns === 0;
  return isFirst ? undefined : { startedAt, hasStarted, runs, run, before };
}

/** The record of the same agent before its first run. */
export function reset(record: AgentRecord): AgentRecord {
  const { startedAt } = record;
  const run = newRun(startedAt, nothingUsed);
  return { ...record, endedAt: null, runs: 0, run, before: nothingUsed, lastTool: null, end: null };
}

/** The record when a run begins, before its first event. `resumes`: the run continues the interrupted one. */
export function beginRun(
  record: AgentRecord,
  { resumes, at }: { resumes: boolean; at: number },
): AgentRecord {
  const run = resumes ? newRun(at, record.run) : newRun(at, nothingUsed);
  const before = resumes ? record.before : totalOf(record);
  return { ...record, state: "queued", waitReason: null, endedAt: null, end: null, run, before };
}

/** The record after an event. This is the only state machine, and the only place that adds up usage. */
export function advance(record: AgentRecord, event: AgentEvent): AgentRecord {
  switch (event.type) {
    case "agent-queued":
      return { ...next(record, event.at), ...identityOf(event.agent), state: "queued" };
    case "agent-start":
      return start(next(record, event.at), event.agent, event.at);
    case "agent-wait":
      return { ...record, state: "waiting", waitReason: event.reason };
    case "agent-wake":
      return { ...record, state: "running", waitReason: null };
    case "agent-idle":
      return { ...record, state: "idle" };
    case "agent-background":
      return { ...record, background: true };
    case "assistant-message": {
      const { usage, message } = event.answer;
      const toolUses = toolUsesOf(message).length;
      const run = use(record.run, { turns: 1, toolUses, usage, costUsd: event.costUsd });
      return { ...record, run: { ...run, lastUsage: usage } };
    }
    case "spend": {
      const { usage, costUsd } = event;
      return { ...record, run: use(record.run, { ...nothingUsed, usage, costUsd }) };
    }
    case "tool-call-start":
      return { ...record, lastTool: event.call.name };
    case "permission-deny":
      return { ...record, run: deny(record.run, event.call.name, event.reason) };
    case "agent-end":
      return end(record, event.result, event.at);
    default:
      return record;
  }
}

/** All runs of an agent together. */
export function totalOf({ before, run }: Pick<AgentRecord, "before" | "run">): Used {
  return plus(before, run);
}

/** The figures of the run under way, or of the last one. */
export function runFigures(
  { run, end }: Pick<AgentRecord, "run" | "end">,
  now: number,
): AgentFigures {
  const { turns, toolUses, denials, usage, lastUsage, costUsd } = run;
  const deniedCalls = run.deniedCalls.map((denied) => ({ ...denied }));
  const durationMs = end === null ? now - run.startedAt : end.durationMs;
  const figures = { turns, toolUses, denials, deniedCalls, durationMs, usage, lastUsage, costUsd };
  return end?.contentFile === undefined ? figures : { ...figures, contentFile: end.contentFile };
}

/** The result of the last run, if it has ended. */
export function resultOf(record: AgentRecord, content: string): AgentResult | undefined {
  const { end } = record;
  if (end === null) return undefined;
  const figures = runFigures(record, 0);
  if (end.state === "failed") return { ...figures, state: end.state, content, error: end.error };
  if (end.state === "stopped") return { ...figures, state: end.state, content, reason: end.reason };
  return { ...figures, state: end.state, content };
}

/** The failure of the last run, if it failed. */
export function failureOf({ end }: Pick<AgentRecord, "end">): AgentFailure | undefined {
  return end?.state === "failed" ? end.error : undefined;
}

/** Whether the agent has ended. It takes no more tasks, unless it is resumed. */
export function hasEnded({ state }: Pick<AgentRecord, "state">): boolean {
  return state === "completed" || state === "failed" || state === "stopped";
}

/** Whether a run is under way. */
export function isBusy({ state }: Pick<AgentRecord, "state">): boolean {
  return state === "queued" || state === "running" || state === "waiting";
}

/** The sum of two usages. */
export function plus(one: Used, other: Used): Used {
  return {
    turns: one.turns + other.turns,
    toolUses: one.toolUses + other.toolUses,
    usage: addUsage(one.usage, other.usage),
    costUsd: addCost(one.costUsd, other.costUsd),
  };
}

function use(run: RunUsage, used: Used): RunUsage {
  return { ...run, ...plus(run, used) };
}

/** The identity in an event: a later run may have another model, or be requested by another call. */
function identityOf(agent: AgentIdentity): AgentIdentity {
  const { type, name, description, color, model, modelFrom, scripted, maxTurns, cwd } = agent;
  const { parentId, depth, toolUseId, standing, background } = agent;
  const relation = { parentId, depth, toolUseId, standing, background };
  return { type, name, description, color, model, modelFrom, scripted, maxTurns, cwd, ...relation };
}

function newRun(startedAt: number, { turns, toolUses, usage, costUsd }: Used): RunUsage {
  const used = { turns, toolUses, usage, costUsd };
  return { ...used, startedAt, denials: 0, deniedCalls: [], lastUsage: noUsage };
}

/**
 * The record when a next run begins: a reader that saw the last run end learns of the next one from its first event.
 */
function next(record: AgentRecord, at: number): AgentRecord {
  return record.end === null ? record : beginRun(record, { resumes: false, at });
}

/** The record at a start. Time in the queue is not part of a run. */
function start(record: AgentRecord, agent: AgentIdentity, at: number): AgentRecord {
  return {
    ...record,
    ...identityOf(agent),
    state: "running",
    waitReason: null,
    startedAt: record.hasStarted ? record.startedAt : at,
    hasStarted: true,
    run: { ...record.run, startedAt: at },
  };
}

function deny(run: RunUsage, tool: string, reason: string): RunUsage {
  const denials = run.denials + 1;
  const known = run.deniedCalls.findIndex((one) => one.tool === tool && one.reason === reason);
  if (known === -1 && run.deniedCalls.length === mostDenied) return { ...run, denials };
  const deniedCalls =
    known === -1
      ? [...run.deniedCalls, { tool, reason, count: 1 }]
      : run.deniedCalls.map((one, at) => (at === known ? { ...one, count: one.count + 1 } : one));
  return { ...run, denials, deniedCalls };
}

/**
 * The record at an end. The result has the usage of the whole run, even of events that could not be stored and were not
 * emitted.
 */
function end(record: AgentRecord, result: AgentResult, at: number): AgentRecord {
  const { turns, toolUses, denials, deniedCalls, usage, lastUsage, costUsd, durationMs } = result;
  const figures = { turns, toolUses, denials, deniedCalls, usage, lastUsage, costUsd };
  return {
    ...record,
    state: record.standing && result.state !== "stopped" ? "idle" : result.state,
    waitReason: null,
    endedAt: at,
    runs: record.runs + 1,
    run: { ...figures, startedAt: record.run.startedAt },
    end: { ...howItEnded(result), durationMs, ...fileOf(result) },
  };
}

function howItEnded(
  result: AgentResult,
):
  | { state: "completed" }
  | { state: "failed"; error: AgentFailure }
  | { state: "stopped"; reason: string } {
  if (result.state === "failed") return { state: result.state, error: result.error };
  if (result.state === "stopped") return { state: result.state, reason: result.reason };
  return { state: result.state };
}

function fileOf({ contentFile }: AgentFigures): { contentFile?: string } {
  return contentFile === undefined ? {} : { contentFile };
}
