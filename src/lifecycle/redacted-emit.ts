import type { AgentEvent } from "../events/event.ts";
import { openRedactor, type Redactor } from "../redact/redactor.ts";
import { safeCut, StreamRedactor } from "../redact/stream-redactor.ts";

type Emit = (event: AgentEvent) => void;
type Delta = Extract<AgentEvent, { type: "text-delta" | "thinking-delta" }>;

/**
 * Redacts secrets in all events of one agent. Streamed text is delayed a little, because a secret may be spread over
 * several pieces; nothing is lost, and text never comes after a later event.
 */
export function redactedEmit(redactor: Redactor, emit: Emit): Emit {
  if (redactor === openRedactor) return emit;
  const stream = new StreamRedactor(redactor);
  let last: Delta | undefined;
  const flush = (): void => {
    const text = stream.flush();
    if (last !== undefined && text !== "") emit({ ...last, text });
    last = undefined;
  };
  return (event) => {
    switch (event.type) {
      case "text-delta":
      case "thinking-delta": {
        if (last?.type !== event.type) flush();
        last = event;
        const text = stream.push(event.text);
        if (text !== "") emit({ ...event, text });
        return;
      }
      case "tool-call-progress":
        emit({ ...event, text: unfinished(event.text, redactor) });
        return;
      default:
        flush();
        emit(redactor.deep(event));
    }
  };
}

/** An unfinished line of a command: a possible beginning of a secret is left out until more arrives. */
function unfinished(line: string, redactor: Redactor): string {
  const cut = safeCut(line, redactor.spread);
  const rest = line.slice(cut);
  const whole = redactor.text(line);
  if (rest === "" || whole !== line || /^[a-z./_:,;-]*$/.test(rest)) return whole;
  return rest.length < 8 ? whole : `${line.slice(0, cut)}…`;
}
