/**
 * The way back: an agent that ended, or whose process did, becomes a running one again, with its history and its id.
 * This pipeline begins with files instead of a definition and ends where `spawn.ts` ends: in the generator that the
 * registry drives.
 */
import { initialAttachments } from "./resolve/prompt.ts";
import { errorMessage, RetinueError } from "./contract/errors.ts";
import type { AgentId } from "./contract/ids.ts";
import { claimOf } from "./lifecycle/queue/claim.ts";
import type { EarlierAgent } from "./lifecycle/history/earlier-agents.ts";
import type { Past } from "./lifecycle/history/past.ts";
import type { RunningAgent } from "./lifecycle/running-agent.ts";
import type { Asker } from "./lifecycle/family.ts";
import { Ticket } from "./lifecycle/queue/slots.ts";
import { sentMail } from "./lifecycle/mail/sent-mail.ts";
import {
  backgroundChildrenOf,
  mailOfChildren,
  unreadEnds,
} from "./lifecycle/mail/mail-of-children.ts";
import type { PermissionMode, ResolvedAgent } from "./contract/resolved-agent.ts";
import type { Changes } from "./resolve/renew.ts";
import { begunCalls } from "./loop/pending.ts";
import { refuseWhenOver } from "./lifecycle/life.ts";
import { filesAtOnce, mapAtMost } from "./platform/gate.ts";
import type { SessionRuntime } from "./session/session-runtime.ts";
import type { Effort } from "./contract/spawn-request.ts";

export interface ResumeRequest {
  /** The next task. Without one, the agent resumes its interrupted task. */
  prompt?: string | undefined;
  /** A permission mode that is narrower than its own. */
  mode?: PermissionMode | undefined;
  effort?: Effort | undefined;
  /** Whether the agent runs in the background; default: as before. */
  background?: boolean | undefined;
  model?: string | undefined;
  maxTurns?: number | undefined;
  timeout?: number | undefined;
}

export type ResumeFor = { kind: "agent"; asker: Asker } | { kind: "host" };

/** Resolves when the agent is queued or running. Throws a `RetinueError` for an agent that cannot be resumed. */
export async function resumeAgent(
  id: AgentId,
  request: ResumeRequest,
  by: ResumeFor,
  runtime: SessionRuntime,
): Promise<RunningAgent> {
  await runtime.earlier.ready();
  const { running, children } = await runtime.spawns.run(async () => {
    const { session, registry } = runtime;
    refuseWhenOver(session);
    refuseBusy(registry.get(id), request);
    const earlier = await runtime.earlier.take(id);
    const prompt = promptOf(id, request, earlier.past);
    const agent = await resumedAgent(earlier, id, runtime, {
      ...request,
      toolUseId: by.kind === "agent" ? by.asker.toolUseId : undefined,
    });
    if (by.kind === "agent" && agent.relates.parentId !== by.asker.id) throw unknown(id);
    const past = await pastNow(earlier.past, agent, request);
    // A child that ends while files are read is no longer in the registry when its parent is notified.
    const about = backgroundChildrenOf(id, registry);
    // Finding the children may mean reading all files.
    const hasRead = (mailId: string): boolean => past.told.has(mailId);
    const gone = agent.can.spawn.allowed ? await unreadEnds(id, hasRead, runtime) : [];
    const children = await recallChildren(id, runtime);
    const source = by.kind === "agent" ? "parent" : "human";
    const task = { prompt, source, timeout: agent.costs.timeout } as const;
    const ticket =
      agent.relates.depth === 0 ? new Ticket(null) : session.slots.reserve(claimOf(agent));
    const running = recalled(agent, earlier, ticket, runtime);
    const follow = by.kind === "agent" && !running.isBackground ? by.asker.signal : null;
    const mail = [
      ...earlier.lostShells,
      ...sentMail(session.paths.mail(id)),
      ...mailOfChildren(id, { about: [...about, ...children], gone }, runtime),
    ];
    await registry.start(running, task, { ticket, follow, past, mail });
    return { running, children };
  });
  const left = children.filter(({ state }) => state === "interrupted");
  await Promise.all(left.map((child) => bringBack(child, runtime)));
  return running;
}

/** Registers the agent, because nothing keeps it from running any more. */
function recalled(
  agent: ResolvedAgent,
  earlier: EarlierAgent,
  ticket: Ticket,
  { registry }: SessionRuntime,
): RunningAgent {
  try {
    return registry.recall(agent, earlier, { resumes: true });
  } catch (error) {
    ticket.release();
    throw error;
  }
}

/** The agent that a call created in an earlier process: ended, or with `resume` running again. */
export async function childOf(
  asker: Asker,
  { resume }: { resume: boolean },
  runtime: SessionRuntime,
): Promise<RunningAgent | undefined> {
  const id = await runtime.earlier.childOf(asker);
  if (id === undefined) return undefined;
  const known = runtime.registry.get(id);
  if (known?.result !== undefined) return known;
  // The parent resumes a background child beside its own work; this call does not wait for it.
  if (known?.isBackground === true) return known;
  if (known?.isBusy === true) return resume ? known : undefined;
  const earlier = await runtime.earlier.read(id);
  if (earlier.past.end !== null) return recallFrom(earlier, runtime);
  if (!resume) return undefined;
  return resumeAgent(id, {}, { kind: "agent", asker }, runtime);
}

/** Makes an agent of an earlier process readable here, without running it. */
export async function recallAgent(id: AgentId, runtime: SessionRuntime): Promise<RunningAgent> {
  const known = runtime.registry.get(id);
  if (known !== undefined) return known;
  return recallFrom(await runtime.earlier.read(id), runtime);
}

async function recallFrom(earlier: EarlierAgent, runtime: SessionRuntime): Promise<RunningAgent> {
  const { id } = earlier.record;
  const agent = await resumedAgent(earlier, id, runtime, {});
  return runtime.registry.get(id) ?? runtime.registry.recall(agent, earlier, { resumes: false });
}

/**
 * Resumes every agent of this session that a crash interrupted. A resumed parent resumes its own children; where that
 * fails, a child resumes by itself. Failures are returned with their reason.
 */
export async function resumeInterrupted(runtime: SessionRuntime): Promise<{
  interrupted: AgentId[];
  resumed: RunningAgent[];
  failed: { id: AgentId; error: unknown }[];
}> {
  await runtime.earlier.ready();
  const resumed: RunningAgent[] = [];
  const failed: { id: AgentId; error: unknown }[] = [];
  const left = new Map(
    (await runtime.earlier.interrupted()).flatMap((one) => {
      const { id } = one.record;
      const state = runtime.registry.get(id)?.state ?? "interrupted";
      return state === "interrupted" ? [[id, one] as const] : [];
    }),
  );
  const interrupted = [...left.keys()];
  for (;;) {
    const next = [...left.values()].find(
      ({ record: { parentId } }) => parentId === null || !left.has(parentId),
    );
    if (next === undefined) return { interrupted, resumed, failed };
    const { id } = next.record;
    left.delete(id);
    try {
      const found = claimedBy(next, [...left.values()]);
      resumed.push(await resumeAgent(id, {}, { kind: "host" }, runtime));
      // A child that its parent could not resume is tried by itself.
      const isOpen = (child: AgentId): boolean =>
        runtime.registry.get(child)?.state === "interrupted";
      for (const child of found) if (!isOpen(child)) left.delete(child);
    } catch (error) {
      failed.push({ id, error });
    }
  }
}

/** Agents that a resumed agent resumes by itself, and those that they resume in turn. */
function claimedBy(
  { record: { id }, past }: EarlierAgent,
  candidates: readonly EarlierAgent[],
): AgentId[] {
  const open = begunCalls(past);
  const own = candidates.filter(
    ({ record: { parentId, background, toolUseId } }) =>
      parentId === id && (background || (toolUseId !== null && open.has(toolUseId))),
  );
  return own.flatMap((child) => [child.record.id, ...claimedBy(child, candidates)]);
}

/** Resumes an interrupted child; a parent does not wait for a child that cannot be resumed. */
async function bringBack(child: RunningAgent, runtime: SessionRuntime): Promise<void> {
  const { id } = child.agent;
  try {
    await resumeAgent(id, {}, { kind: "host" }, runtime);
  } catch (error) {
    // Another caller has resumed it already.
    if (runtime.registry.get(id)?.isBusy === true) return;
    const { logger } = runtime.session;
    logger.warn({ agentId: id, error: errorMessage(error) }, "a child could not be resumed");
    runtime.registry.giveUp(child);
  }
}

/** Background children of an agent, as far as their files can be read. */
async function recallChildren(id: AgentId, runtime: SessionRuntime): Promise<RunningAgent[]> {
  const children = await runtime.earlier.backgroundChildren(id);
  const recalled = await mapAtMost(filesAtOnce, children, (child) =>
    recallAgent(child, runtime).catch((error: unknown) => {
      const { logger } = runtime.session;
      logger.warn(
        { agentId: child, error: errorMessage(error) },
        "the files of a child could not be read",
      );
      return undefined;
    }),
  );
  return recalled.filter((child) => child !== undefined);
}

function refuseBusy(running: RunningAgent | undefined, { prompt }: ResumeRequest): void {
  if (running === undefined || !running.isBusy) {
    if (running?.state !== "idle") return;
    throw new RetinueError(
      "agent_busy",
      `Agent ${running.agent.id} is idle and waits for a task. Give it one with process().`,
    );
  }
  const remedy = prompt === undefined ? "There is nothing to resume." : "Send it the message.";
  throw new RetinueError("agent_busy", `Agent ${running.agent.id} is ${running.state}. ${remedy}`);
}

const goOn = "Go on with your task where it stopped.";

function promptOf(id: AgentId, { prompt }: ResumeRequest, { end, unread }: Past): string | null {
  if (prompt === "")
    throw new RetinueError("invalid_request", "The message is empty. Write a text.");
  if (prompt !== undefined) return prompt;
  if (end === null) return unread;
  if (end.state !== "completed") return goOn;
  throw new RetinueError(
    "invalid_request",
    `Agent ${id} has completed its task. Give it a new one.`,
  );
}

/** The frozen record of a resumed agent. */
export async function resumedAgent(
  { past, record }: EarlierAgent,
  id: AgentId,
  runtime: SessionRuntime,
  changes: Changes,
): Promise<ResolvedAgent> {
  // Loaded on demand: most runs resume nothing.
  const { readStoredAgent, renewAgent } = await import("./resolve/renew.ts");
  const { session, surroundings, meets, registry } = runtime;
  const stored = readStoredAgent(past.stored, id);
  const { parentId } = stored.relates;
  const parentMode = parentId === null ? undefined : registry.get(parentId)?.meets.mode;
  // The agent may have been moved to the background after its start.
  const background = changes.background ?? record.background;
  const agent = renewAgent(stored, {
    sessionId: session.id,
    surroundings,
    meets,
    parentMode,
    memory: stored.permissions.memory === null ? null : await memoryOf(stored.type, runtime),
    changes: { ...changes, background },
  });
  if (past.messages.length > 0) return agent;
  // The agent never read its first message, so the message is composed again.
  const found = await runtime.files.now();
  const definition =
    agent.relates.depth === 0 ? await runtime.mainDefinition() : found.catalog.find(agent.type);
  if (definition === undefined) return agent;
  const { environment } = surroundings;
  const { spawn } = agent.can;
  const attachments = await initialAttachments({ definition, environment, found, spawn });
  return Object.freeze({ ...agent, sees: Object.freeze({ ...agent.sees, attachments }) });
}

/** The directory of the memory as of now: trust, the definition and links may have changed since the agent began. */
async function memoryOf(
  type: string,
  { files, surroundings }: SessionRuntime,
): Promise<string | null> {
  const { memoryDirectory, memoryProblem } = await import("./resolve/memory.ts");
  const definition = (await files.now()).catalog.find(type);
  if (definition?.name !== type) return null;
  const { environment, report } = surroundings;
  const problem = memoryProblem(definition, environment);
  if (problem !== null) report(problem);
  return memoryDirectory(definition, environment);
}

/** An approved plan stays approved, unless the caller resumes the agent in the mode `plan`. */
async function pastNow(past: Past, agent: ResolvedAgent, { mode }: ResumeRequest): Promise<Past> {
  if (!past.leftPlan) return past;
  const { keepsApprovedPlan, readStoredAgent } = await import("./resolve/renew.ts");
  const leftPlan = keepsApprovedPlan(readStoredAgent(past.stored, agent.id), agent, mode);
  return { ...past, leftPlan };
}

function unknown(id: string): RetinueError {
  return new RetinueError("unknown_task", `unknown task_id: ${id}`);
}
