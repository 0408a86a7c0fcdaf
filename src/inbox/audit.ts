import { z } from "zod";
import { errorMessage } from "../contract/errors.ts";
import { JsonlWriter, parseJsonl } from "../transcript/lines/jsonl.ts";
import type { Logger } from "../platform/logger.ts";
import { once } from "../platform/once.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { openRedactor, type Redactor } from "../redact/redactor.ts";
import type { RefusedSpeaker } from "../processes/speaker.ts";
import { inputHash } from "./canonical.ts";
import { loggedInput, loggedInputSchema } from "./logged-input.ts";
import { grantScopes, type Answered, type InboxRequest } from "./request.ts";

/** One fact of the log about a request. Each line is complete, without secrets. */
const factSchema = once(() =>
  z.object({
    /** ISO 8601. */
    at: z.string(),
    fact: z.enum(["asked", "answered", "denied", "expired", "withdrawn"]),
    id: z.string(),
    agentId: z.string(),
    agentType: z.string(),
    label: z.array(z.string()),
    toolUseId: z.string().exactOptional(),
    tool: z.string(),
    /** Distinguishes inputs that redaction and the cut below make equal. */
    inputHash: z.string(),
    input: loggedInputSchema().optional(),
    /** The answerer. */
    by: z.string().optional(),
    verdict: z.enum(["allow", "deny", "reply"]).optional(),
    scope: z.enum(grantScopes).optional(),
    rules: z.array(z.string()).optional(),
    /** The mode in which the agent continues, because its plan was approved. */
    mode: z.string().exactOptional(),
    /** The hash of the input that ran instead, if the person changed it. */
    changedTo: z.string().optional(),
    changedInput: loggedInputSchema().optional(),
    message: z.string().optional(),
  }),
);

export type AuditFact = z.infer<ReturnType<typeof factSchema>>;

/** The append-only log of one session. Never throws into the agent: a failed write goes to the logger. */
export class AuditLog {
  readonly #file: JsonlWriter;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #redactor: Pick<Redactor, "text" | "deep">;

  constructor(options: {
    path: string;
    logger: Logger;
    now: () => number;
    /** Redacts inputs, labels, rules and messages; left out: nothing is secret. */
    redactor?: Pick<Redactor, "text" | "deep">;
  }) {
    this.#file = new JsonlWriter(options.path);
    this.#logger = options.logger;
    this.#now = options.now;
    this.#redactor = options.redactor ?? openRedactor;
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
        ? { rules: answer.rules.map(this.#redactor.text) }
        : {}),
      ...(verdict === "allow" && request.mode !== undefined ? { mode: request.mode } : {}),
      ...(verdict === "allow" && answer.input !== undefined
        ? {
            changedTo: inputHash(request.tool, answer.input),
            changedInput: loggedInput(answer.input, this.#redactor),
          }
        : {}),
      ...(verdict === "deny" && answer.message !== undefined
        ? { message: this.#redactor.text(answer.message) }
        : {}),
    });
  }

  /** Logs a process that was kept from speaking as the user; `method` is its request. */
  refused(method: string, { pid, agents, reason }: RefusedSpeaker): void {
    this.#append({ fact: "refused", method, pid, agents, reason });
  }

  close(): void {
    this.#file.close();
  }

  #write(request: InboxRequest, fact: Pick<AuditFact, "fact"> & Partial<AuditFact>): void {
    const { id, agentId, agentType, toolUseId, tool, input } = request;
    this.#append({
      ...{ id, agentId, agentType },
      label: request.label.map(this.#redactor.text),
      ...(toolUseId === undefined ? {} : { toolUseId }),
      tool,
      inputHash: inputHash(tool, input),
      input: loggedInput(input, this.#redactor),
      ...fact,
    });
  }

  #append(fact: Readonly<Record<string, unknown>>): void {
    try {
      const line = { at: new Date(this.#now()).toISOString(), ...fact };
      this.#file.append([JSON.stringify(line)]);
    } catch (error) {
      const fields = { file: this.#file.path, request: fact["id"], fact: fact["fact"] };
      this.#logger.warn(
        fields,
        `The audit log cannot be written: ${errorMessage(error)}. Free space or check permissions.`,
      );
    }
  }
}

const largestLog = 64 * 1024 * 1024;

/** Every fact in a log, oldest first; lines of another shape are skipped. */
export function readAudit(path: string): AuditFact[] {
  const read = readSmallFile(path, largestLog);
  if (read.kind !== "text") return [];
  return parseJsonl(read.text).flatMap((line) => {
    const fact = factSchema().safeParse(line);
    return fact.success ? [fact.data] : [];
  });
}
