import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { AgentEvent, Manager, ManagerOptions } from "../../src/index.ts";
import { readAudit, type AuditFact } from "../../src/inbox/audit.ts";
import type { InboxRequest } from "../../src/inbox/request.ts";
import { setStage, type Stage } from "./stage.ts";
import { until } from "./until.ts";

/** A reply that calls Bash once. */
export const bash = (command: string): object => ({ call: "Bash", input: { command } });

/** The replies of each agent, turn by turn, by a word of its task. */
export function script(replies: Record<string, readonly (string | object)[]>): string {
  const turns = Object.entries(replies).flatMap(([task, said]) =>
    said.map((reply, index) => ({
      task: `/\\b${task}\\b/`,
      turn: index + 1,
      reply: typeof reply === "string" || Array.isArray(reply) ? reply : [reply],
    })),
  );
  return JSON.stringify({ turns });
}

/** Reports what its last call gave it. */
export const report = "{{ results.1 }}";

export const worker = { description: "Works", prompt: "You work.", tools: ["Bash", "Write"] };

export interface Desk extends Stage {
  /** The open requests, when there are so many. */
  open: (count: number) => Promise<InboxRequest[]>;
  /** Starts a worker. */
  work: (task: string, request?: object) => Promise<string>;
  /** What it reported. */
  reported: (id: string) => Promise<string>;
  has: (file: string) => boolean;
  of: <Type extends AgentEvent["type"]>(
    type: Type,
    agentId?: string,
  ) => Extract<AgentEvent, { type: Type }>[];
  audit: () => AuditFact[];
}

/** A stage with somebody who can answer. */
export function setDesk(
  replies: Record<string, readonly (string | object)[]>,
  options: Partial<ManagerOptions> & { files?: Record<string, string> } = {},
): Desk {
  const stage = setStage(script(replies), {
    inbox: { attended: true },
    agents: { worker, helper: worker },
    ...options,
  });
  const { manager, events, cwd } = stage;
  return {
    ...stage,
    open: (count) => openOf(manager, count),
    async work(task, request = {}) {
      const row = await manager.spawn({ prompt: task, subagent_type: "worker", ...request });
      return row.id;
    },
    reported: async (id) => (await manager.output(id, { block: true })).content,
    has: (file) => existsSync(join(cwd, file)),
    of: (type, agentId) =>
      events.filter(
        (event): event is Extract<AgentEvent, { type: typeof type }> =>
          event.type === type && (agentId === undefined || event.agentId === agentId),
      ),
    audit: () => readAudit(join(manager.transcripts.projectDir, manager.sessionId, "audit.jsonl")),
  };
}

export async function openOf(manager: Manager, count: number): Promise<InboxRequest[]> {
  await until(() => expect(manager.inbox.list()).toHaveLength(count));
  return manager.inbox.list();
}
