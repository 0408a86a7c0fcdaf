import type { AgentEventBody } from "../events/event.ts";
import { openRedactor, type Redactor } from "../redact/redactor.ts";
import { safeCut, StreamRedactor } from "../redact/stream-redactor.ts";

type Emit = (body: AgentEventBody) => void;
type Delta = Extract<AgentEventBody, { type: "text-delta" | "thinking-delta" }>;

/**
 * Takes secrets out of everything that one agent reports. Streamed text comes a little later than it arrived, since a
 * secret may be spread over several pieces; nothing of it is lost, and it never comes after another event.
 */
export function redactedEmit(redactor: Redactor, emit: Emit): Emit {
  if (redactor === openRedactor) return emit;
  const stream = new StreamRedactor(redactor);
  let type: Delta["type"] | undefined;
  const flush = (): void => {
    const text = stream.flush();
    if (type !== undefined && text !== "") emit({ type, text });
    type = undefined;
  };
  return (body) => {
    switch (body.type) {
      case "text-delta":
      case "thinking-delta": {
        if (type !== body.type) flush();
        ({ type } = body);
        const text = stream.push(body.text);
        if (text !== "") emit({ type, text });
        return;
      }
      case "tool-call-progress":
        emit({ ...body, text: unfinished(body.text, redactor) });
        return;
      default:
        flush();
        emit(redactor.deep(body));
    }
  };
}

/** A line that a command is still writing: what may be the beginning of a secret is left out until there is more. */
function unfinished(line: string, redactor: Redactor): string {
  const cut = safeCut(line, redactor.spread);
  const rest = line.slice(cut);
  const whole = redactor.text(line);
  if (rest === "" || whole !== line || /^[a-z./_:,;-]*$/.test(rest)) return whole;
  return rest.length < 8 ? whole : `${line.slice(0, cut)}…`;
}
