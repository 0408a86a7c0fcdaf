import type { AgentEventBody } from "../events/event.ts";
import type { Message } from "../contract/message.ts";
import { conversationOf, type TranscriptEntry } from "../transcript/reader.ts";

/**
 * The unredacted conversation of a standing agent between its tasks. The transcript has its secrets redacted, and an
 * agent that read one must be able to use it in its next task.
 */
export class Memory {
  #entries: TranscriptEntry[] = [];

  keep(body: AgentEventBody): void {
    this.#entries.push(...entriesOf(body));
  }

  conversation(): Message[] {
    return conversationOf(this.#entries);
  }

  forget(): void {
    this.#entries = [];
  }
}

function entriesOf(body: AgentEventBody): TranscriptEntry[] {
  const at = "";
  switch (body.type) {
    case "prompt":
      return [
        { kind: "prompt", text: body.text, at, meta: body.source === "harness" },
        ...body.attachments.map((attachment) => ({ kind: "attachment", attachment, at }) as const),
      ];
    case "attachment":
      return [{ kind: "attachment", attachment: body.attachment, at }];
    case "assistant-message": {
      const { id, requestId, model, message } = body.answer;
      const blocks = message.content.length === 0 ? [undefined] : message.content;
      const { stopReason, usage } = body.answer;
      const { costUsd } = body;
      return blocks.map(
        (block) =>
          ({
            kind: "answer",
            id,
            requestId,
            model,
            block,
            stopReason,
            usage,
            costUsd,
            at,
          }) as const,
      );
    }
    case "tool-call-end":
      return [{ kind: "result", result: body.result, at }];
    default:
      return [];
  }
}
