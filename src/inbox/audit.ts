import { z } from "zod";
import { errorMessage } from "../errors.ts";
import { JsonlWriter, parseJsonl } from "../platform/jsonl.ts";
import type { Logger } from "../platform/logger.ts";
import { once } from "../platform/once.ts";
import { readSmallFile } from "../platform/read-small-file.ts";
import { inputHash } from "./canonical.ts";
import { grantScopes, type Answered, type InboxRequest } from "./request.ts";

/** What the log says of one request. Each line is one fact; the input itself is not in it. */
const factSchema = once(() =>
  z.object({
    /** ISO 8601. */
    at: z.string(),
    fact: z.enum(["asked", "answered", "denied", "expired", "withdrawn"]),
    id: z.string(),
    agentId: z.string(),
    agentType: z.string(),
    label: z.array(z.string()),
    tool: z.string(),
    inputHash: z.string(),
    /** Who answered. */
    by: z.string().optional(),
    verdict: z.enum(["allow", "deny", "reply"]).optional(),
    scope: z.enum(grantScopes).optional(),
    rules: z.array(z.string()).optional(),
    /** The mode that the agent goes on in, because its plan was approved. */
    mode: z.string().exactOptional(),
    /** The person changed the input; the hash of what ran instead. */
    changedTo: z.string().optional(),
    message: z.string().optional(),
  }),
);

export type AuditFact = z.infer<ReturnType<typeof factSchema>>;

/** The append-only log of one session. Never throws into the agent: what cannot be written is logged. */
export class AuditLog {
  readonly #file: JsonlWriter;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #redact: (text: string) => string;

  constructor(options: {
    path: string;
    logger: Logger;
    now: () => number;
    /** Takes secrets out of labels, rules and messages. */
    redact?: (text: string) => string;
  }) {
    this.#file = new JsonlWriter(options.path);
    this.#logger = options.logger;
    this.#now = options.now;
    this.#redact = options.redact ?? ((text) => text);
  }

  asked(request: InboxRequest): void {
    this.#write(request, { fact: "asked" });
  }

  withdrawn(request: InboxRequest): void {
    this.#write(request, { fact: "withdrawn" });
  }

  answered(request: InboxRequest, { answer, by }: Answered): void {
    const { verdict } = answer;
    const denied = verdict === "deny" ? "denied" : "answered";
    this.#write(request, {
      fact: by === "deadline" ? "expired" : denied,
      by,
      verdict,
      ...(verdict === "allow" ? { scope: answer.scope } : {}),
      ...(verdict === "allow" && answer.rules !== undefined
        ? { rules: answer.rules.map(this.#redact) }
        : {}),
      ...(verdict === "allow" && request.mode !== undefined ? { mode: request.mode } : {}),
      ...(verdict === "allow" && answer.input !== undefined
        ? { changedTo: inputHash(request.tool, answer.input) }
        : {}),
      ...(verdict === "deny" && answer.message !== undefined
        ? { message: this.#redact(answer.message) }
        : {}),
    });
  }

  close(): void {
    this.#file.close();
  }

  #write(request: InboxRequest, fact: Pick<AuditFact, "fact"> & Partial<AuditFact>): void {
    const { id, agentId, agentType, tool, input } = request;
    try {
      const label = request.label.map(this.#redact);
      const who = { id, agentId, agentType, label, tool, inputHash: inputHash(tool, input) };
      const line = { at: new Date(this.#now()).toISOString(), ...who, ...fact };
      this.#file.append([JSON.stringify(line)]);
    } catch (error) {
      const fields = { file: this.#file.path, request: id, fact: fact.fact };
      this.#logger.warn(fields, `The audit log cannot be written: ${errorMessage(error)}`);
    }
  }
}

const largestLog = 64 * 1024 * 1024;

/** Every fact in a log, oldest first; lines of another shape are passed over. */
export function readAudit(path: string): AuditFact[] {
  const read = readSmallFile(path, largestLog);
  if (read.kind !== "text") return [];
  return parseJsonl(read.text).flatMap((line) => {
    const fact = factSchema().safeParse(line);
    return fact.success ? [fact.data] : [];
  });
}
