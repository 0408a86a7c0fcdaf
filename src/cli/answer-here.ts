import type { InboxRequest } from "../inbox/request.ts";
import type { Manager } from "../manager.ts";
import { InboxPrompt } from "./inbox-prompt.ts";
import { LiveView } from "./live-view.ts";
import { askerPath, callLine } from "./request-lines.ts";

/**
 * Who answers what the agents of this run ask. A person who watches the live view, with keys; with `waits` whoever runs
 * `retinue approve` in another terminal, and here a line says what to answer. Otherwise nobody does, and it is denied.
 */
export function answerHere(
  inbox: Manager["inbox"],
  options: { view: unknown; waits: boolean; say: (line: string) => void },
): Disposable {
  const { stdin } = process;
  if (options.view instanceof LiveView && stdin.isTTY && !stdin.readableEnded)
    return new InboxPrompt({ inbox, view: options.view, input: stdin });
  // Whoever listens counts as somebody who can answer.
  if (!options.waits) return { [Symbol.dispose]: () => undefined };
  const end = inbox.subscribe((event) => {
    if (event.type === "asked") options.say(needsYou(event.redacted));
  });
  return { [Symbol.dispose]: end };
}

/** Standard error often ends up in a log: the line has no secrets, and `retinue approvals` shows the call as it is. */
function needsYou(request: InboxRequest): string {
  const { id, kind } = request;
  const how = kind === "question" ? `approve ${id} --answer …` : `approve ${id}`;
  return `needs you: ${id}  ${askerPath(request)}  ${callLine(request)} · retinue ${how}`;
}
