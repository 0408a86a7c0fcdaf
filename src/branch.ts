import { RetinueError } from "./contract/errors.ts";
import type { AgentEventBody } from "./events/event.ts";
import { newAgentId, type AgentId } from "./contract/ids.ts";
import type { AgentFiles } from "./lifecycle/history/agent-files.ts";
import { claimOf } from "./lifecycle/queue/claim.ts";
import { pastOf, type Past } from "./lifecycle/history/past.ts";
import type { RunningAgent } from "./lifecycle/running-agent.ts";
import { resumedAgent } from "./resume.ts";
import { refuseWhenOver } from "./lifecycle/life.ts";
import type { SessionRuntime } from "./session/session-runtime.ts";
import type { TranscriptEntry } from "./transcript/reader.ts";
import { sharedRun } from "./transcript/record-after.ts";
import { wholeAnswers, type WholeEntry } from "./transcript/whole-answers.ts";

export interface BranchRequest {
  /** The last answer in the copy; default: the last one given. */
  turn?: number | undefined;
  /** The task of the copy. Without one, the copy resumes where the turn ended. */
  prompt?: string | undefined;
  model?: string | undefined;
  maxTurns?: number | undefined;
  timeout?: number | undefined;
}

/** Runs a copy of an agent from one of its turns. The copy has its own id; the original is unchanged. */
export function branchAgent(
  id: AgentId,
  request: BranchRequest,
  runtime: SessionRuntime,
): Promise<RunningAgent> {
  return runtime.spawns.run(async () => {
    const { session, registry } = runtime;
    refuseWhenOver(session);
    const earlier = await runtime.earlier.take(id);
    const { entries, past } = copyOf(earlier.entries, id, request.turn);
    const isDone = past.messages.at(-1)?.role === "assistant" && past.pending?.open.length === 0;
    if (isDone && request.prompt === undefined) {
      throw new RetinueError(
        "invalid_request",
        "The copy would end with an answer, so it needs a prompt. Give one, or branch from an earlier turn.",
      );
    }
    const changes = { ...request, id: newAgentId(), byItself: true };
    const agent = await resumedAgent(earlier, id, runtime, changes);
    const ticket = session.slots.reserve(claimOf(agent));
    try {
      const origin = { from: id, turn: request.turn ?? null };
      const prepare = (files: AgentFiles): void => files.copy(eventsOf(entries), origin);
      const run = request.prompt === undefined ? sharedRun(earlier.record, entries) : undefined;
      const running = await registry.add(agent, { standing: false, prepare, ...(run && { run }) });
      const task = {
        prompt: request.prompt ?? null,
        source: "human",
        timeout: agent.costs.timeout,
      } as const;
      await registry.start(running, task, {
        ticket,
        follow: null,
        past: { ...past, told: new Set() },
      });
      return running;
    } catch (error) {
      ticket.release();
      throw error;
    }
  });
}

/** The copy never makes the calls of an unfinished turn, because their outcome is unknown. */
function copyOf(
  all: readonly TranscriptEntry[],
  id: AgentId,
  turn: number | undefined,
): { entries: TranscriptEntry[]; past: Past } {
  const entries = upToTurn(all, id, turn);
  const past = pastOf(entries);
  if ((past.pending?.open.length ?? 0) === 0) return { entries, past };
  const answers = new Set(entries.flatMap((entry) => (entry.kind === "answer" ? [entry.id] : [])));
  if (turn === undefined && answers.size > 1) return copyOf(all, id, answers.size - 1);
  throw new RetinueError(
    "invalid_request",
    `The tool calls of answer ${answers.size} of agent ${id} have no results yet. Branch from an earlier answer, or resume the agent.`,
  );
}

/** Entries before the answer that follows this turn, without the next task. */
function upToTurn(
  entries: readonly TranscriptEntry[],
  id: AgentId,
  turn: number | undefined,
): TranscriptEntry[] {
  const said = entries.filter(({ kind }) =>
    ["prompt", "attachment", "answer", "result"].includes(kind),
  );
  if (turn === undefined) return said;
  const answers = new Set<string>();
  for (const [index, entry] of said.entries()) {
    if (entry.kind !== "answer") continue;
    answers.add(entry.id);
    if (answers.size <= turn) continue;
    const before = said.slice(0, index);
    const last = before.findLastIndex(({ kind }) => kind === "answer" || kind === "result");
    return before.slice(0, last + 1);
  }
  if (answers.size === turn) return said;
  throw new RetinueError(
    "invalid_request",
    `Agent ${id} has given ${answers.size} answers, so there is no answer ${turn}. Branch from one that exists.`,
  );
}

/** The events that were emitted for these entries at the time. */
function eventsOf(entries: readonly TranscriptEntry[]): { at: number; body: AgentEventBody }[] {
  return wholeAnswers(entries).flatMap((entry) => {
    const at = Date.parse(entry.at) || 0;
    const body = bodyOf(entry);
    return body === undefined ? [] : [{ at, body }];
  });
}

function bodyOf(entry: WholeEntry): AgentEventBody | undefined {
  switch (entry.kind) {
    case "answer": {
      const { answer } = entry;
      return { type: "assistant-message", turn: 0, answer, costUsd: null, durationMs: 0 };
    }
    case "prompt": {
      const { text, meta, mailId } = entry;
      const mail = mailId === undefined ? {} : { mailId };
      const source = meta ? "harness" : mailId === undefined ? "human" : "message";
      return { type: "prompt", text, source, attachments: [], ...mail };
    }
    case "attachment":
      return { type: "attachment", attachment: entry.attachment };
    case "result": {
      const { result } = entry;
      const call = { id: result.tool_use_id, name: "", input: {} };
      return { type: "tool-call-end", call, result, data: undefined, durationMs: 0 };
    }
    default:
      return undefined;
  }
}
