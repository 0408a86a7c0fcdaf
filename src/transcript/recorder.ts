import { randomUUID } from "node:crypto";
import type { AgentEvent } from "../events/event.ts";
import { textOf } from "../contract/message.ts";
import { JsonlWriter } from "./lines/jsonl.ts";
import type { Repair } from "./lines/repair-lines.ts";
import {
  answerBodies,
  attachmentBody,
  endLine,
  modeLine,
  promptBody,
  recordLine,
  spendLine,
  stepLine,
  toolResultBody,
  type EntryBody,
  type Envelope,
  type RunRecord,
} from "./entry.ts";

/**
 * The transcript as a reader of events: turns each event that must survive into lines and appends them. When
 * `record` returns they are on disk; the driver asks the agent for its next event only then.
 */
export class TranscriptRecorder {
  readonly #writer: JsonlWriter;
  readonly #sessionId: string;
  /** Text that every line has around its own part, prepared once: it is the larger part of most lines. */
  readonly #before: string;
  readonly #after: string;
  readonly #agentType: string | null;
  /** The current mode; an approved plan changes it for the rest of a run. */
  #permissionMode: string;
  /** The record of the run that begins; written before any of its messages. */
  #run: (() => RunRecord) | undefined;
  #lastUuid: string | null = null;
  #assistantUuid: string | null = null;
  #lastText = "";
  #promptId: string = randomUUID();

  constructor(options: {
    path: string;
    envelope: Envelope;
    agentType: string | null;
    permissionMode: string;
    onRepair?: (repair: Repair) => void;
  }) {
    this.#writer = new JsonlWriter(options.path, options.onRepair);
    const { isSidechain, agentId, ...rest } = options.envelope;
    this.#sessionId = rest.sessionId;
    this.#before = JSON.stringify({ isSidechain, agentId }).slice(1, -1);
    this.#after = JSON.stringify({ userType: "external", ...rest }).slice(1, -1);
    this.#agentType = options.agentType;
    this.#permissionMode = options.permissionMode;
  }

  get path(): string {
    return this.#writer.path;
  }

  /** Begins a run: its record goes to disk with its first event. Its lines follow the last one of earlier runs. */
  begin(
    run: () => RunRecord,
    { lastUuid, permissionMode }: { lastUuid: string | null; permissionMode: string },
  ): void {
    this.#run = run;
    this.#permissionMode = permissionMode;
    this.#lastUuid = lastUuid ?? this.#lastUuid;
  }

  /** Appends the lines of an event; false if it has none. Throws the file system's error. */
  record(event: AgentEvent): boolean {
    const before = [this.#lastUuid, this.#assistantUuid] as const;
    try {
      const lines = this.#linesOf(event);
      if (this.#run !== undefined)
        lines.unshift(JSON.stringify(recordLine(this.#run(), this.#sessionId, event.at)));
      this.#writer.append(lines);
      this.#run = undefined;
      return lines.length > 0;
    } catch (error) {
      // No line may refer to one that was not written.
      [this.#lastUuid, this.#assistantUuid] = before;
      throw error;
    }
  }

  /** Writes the history of another agent, at the beginning of a copy of it. */
  copy(events: readonly AgentEvent[], origin: { from: string; turn: number | null }): void {
    for (const event of events) this.record(event);
    const timestamp = new Date().toISOString();
    const { sessionId } = { sessionId: this.#sessionId };
    this.#writer.append([
      JSON.stringify({ type: "retinue-branch", ...origin, timestamp, sessionId }),
    ]);
  }

  /** Puts the intent of a step on disk before its effect. */
  intend(key: string, at: number): void {
    this.#writer.append([JSON.stringify(stepLine(key, this.#sessionId, at))]);
  }

  close(): void {
    this.#writer.close();
  }

  #linesOf(event: AgentEvent): string[] {
    if (event.type === "spend")
      return [JSON.stringify(spendLine(event, this.#sessionId, event.at))];
    if (event.type === "mode-change") {
      this.#permissionMode = event.to;
      return [JSON.stringify(modeLine(event, this.#sessionId, event.at))];
    }
    if (event.type === "agent-end")
      return [JSON.stringify(endLine(event.result, this.#lastText, this.#sessionId, event.at))];
    return this.#bodies(event).map((body) => this.#line(body, event.at));
  }

  #bodies(event: AgentEvent): EntryBody[] {
    switch (event.type) {
      case "prompt":
        this.#promptId = randomUUID();
        return [
          promptBody(event.text, event.source, {
            promptId: this.#promptId,
            permissionMode: this.#permissionMode,
            mailId: event.mailId,
          }),
          ...event.attachments.map(attachmentBody),
        ];
      case "attachment":
        return [attachmentBody(event.attachment)];
      case "assistant-message": {
        const text = textOf(event.answer.message.content);
        if (text.trim() !== "") this.#lastText = text;
        return answerBodies(event.answer, { agentType: this.#agentType, costUsd: event.costUsd });
      }
      case "tool-call-end":
        return [
          toolResultBody(event.result, event.data, {
            promptId: this.#promptId,
            assistantUuid: this.#assistantUuid,
          }),
        ];
      default:
        return [];
    }
  }

  #line(body: EntryBody, at: number): string {
    const uuid = randomUUID();
    const parent = JSON.stringify(this.#lastUuid);
    const own = JSON.stringify(body).slice(1, -1);
    const time = new Date(at).toISOString();
    const line = `{"parentUuid":${parent},${this.#before},${own},"uuid":"${uuid}","timestamp":"${time}",${this.#after}}`;
    this.#lastUuid = uuid;
    if (body.type === "assistant") this.#assistantUuid = uuid;
    return line;
  }
}
