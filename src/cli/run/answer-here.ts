import type { AgentRow } from "../../session/agent-row.ts";
import type { InboxRequest } from "../../inbox/request.ts";
import type { Manager } from "../../manager.ts";
import { InboxPrompt } from "../inbox/inbox-prompt.ts";
import { KeyLayers } from "../terminal/key-layers.ts";
import { LiveView } from "../views/live-view.ts";
import { askerPath, callLine } from "../views/request-lines.ts";
import { RunKeys } from "./run-keys.ts";

/** The person at the terminal of a run. */
export interface PersonHere extends Disposable {
  /** The run has begun: there is something to steer. */
  begin(main: AgentRow): void;
  /** The run is being stopped, for any reason. */
  stopping(): void;
}

/**
 * Lets a person answer the questions of this run. A person who watches the live view answers with keys, which steer the
 * run as well. With `waits`, the user of `retinue approve` in another terminal answers, and a line here says how.
 * Otherwise every question is denied.
 */
export function answerHere(
  manager: Pick<Manager, "inbox" | "background" | "send">,
  options: { view: unknown; waits: boolean; say: (line: string) => void },
): PersonHere {
  const { view } = options;
  const { stdin: input } = process;
  if (view instanceof LiveView && input.isTTY && !input.readableEnded)
    return personAtKeys(manager, view, input);
  // A subscriber counts as a person who can answer.
  const end = options.waits
    ? manager.inbox.subscribe((event) => {
        if (event.type === "asked") options.say(needsYou(event.redacted));
      })
    : () => undefined;
  const nothing = (): void => undefined;
  return { begin: nothing, stopping: nothing, [Symbol.dispose]: end };
}

function personAtKeys(
  manager: Pick<Manager, "inbox" | "background" | "send">,
  view: LiveView,
  input: NodeJS.ReadStream,
): PersonHere {
  const stack = new DisposableStack();
  const keys = stack.use(new KeyLayers({ view, input }));
  stack.use(new InboxPrompt({ inbox: manager.inbox, keys }));
  const say = (line: string): void => view.log(line);
  let runKeys: RunKeys | undefined;
  return {
    begin({ id: main }) {
      runKeys = stack.use(new RunKeys({ manager, run: view.run, main, keys, say }));
    },
    stopping: () => runKeys?.stopping(),
    [Symbol.dispose]: () => stack.dispose(),
  };
}

/**
 * The line for an open request. Standard error often ends up in a log: the line has no secrets, and `retinue approvals`
 * shows the call as it is.
 */
function needsYou(request: InboxRequest): string {
  const { id, kind } = request;
  const how = kind === "question" ? `approve ${id} --answer …` : `approve ${id}`;
  return `needs you: ${id}  ${askerPath(request)}  ${callLine(request)} · retinue ${how}`;
}
