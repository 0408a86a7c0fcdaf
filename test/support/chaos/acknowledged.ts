import { readFileSync } from "node:fs";
import type { AgentEvent, ManagerOptions } from "../../../src/index.ts";

/** The options of one life of a session. */
export interface LifeOptions {
  cwd: string;
  configDir: string;
  scenario: string;
  /** Where it writes down what it was told. */
  log: string;
  /** Null: it begins one. */
  session: string | null;
  maxRunning: number;
  durability: NonNullable<ManagerOptions["durability"]>;
}

/** Something that somebody outside has heard, and may rely on from then on. */
export type Acknowledged =
  | { kind: "answer"; agentId: string; id: string; blocks: number }
  | { kind: "result"; agentId: string; callId: string }
  | { kind: "mail"; agentId: string; mailId: string }
  | { kind: "end"; agentId: string; state: string }
  | { kind: "sent"; agentId: string; messageId: string }
  | { kind: "repaired"; file: string; bytes: number }
  | { kind: "warning"; message: string }
  | { kind: "not-resumed"; id: string; why: string }
  | { kind: "orphans"; left: number };

export function acknowledged(event: AgentEvent): Acknowledged | undefined {
  const { agentId } = event;
  switch (event.type) {
    case "assistant-message": {
      const { id, message } = event.answer;
      return { kind: "answer", agentId, id, blocks: message.content.length };
    }
    case "tool-call-end":
      return { kind: "result", agentId, callId: event.call.id };
    case "prompt":
      return event.mailId === undefined
        ? undefined
        : { kind: "mail", agentId, mailId: event.mailId };
    case "agent-end":
      return { kind: "end", agentId, state: event.result.state };
    default:
      return undefined;
  }
}

/** The last line may be cut off: it was being written when its writer died. */
export function readLog(path: string): Acknowledged[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.slice(0, -1).flatMap((line) => {
    try {
      return [JSON.parse(line) as Acknowledged];
    } catch {
      return [];
    }
  });
}
