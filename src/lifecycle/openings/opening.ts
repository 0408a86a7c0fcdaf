import type { Attachment } from "../../contract/message.ts";
import type { AgentEventBody } from "../../events/event.ts";
import type { LoopContext } from "../../loop/loop-context.ts";
import type { Report } from "../../loop/relay.ts";
import type { AgentRun } from "../agent-run.ts";
import type { Deadlines } from "../time/deadlines.ts";

/** A run that has its slot and was announced: everything that an opening may use. */
export interface StartedRun extends AgentRun {
  /** Emits events that the agent's deadlines count as progress. */
  readonly report: Report<AgentEventBody>;
  /** Emits events that the deadlines do not count. */
  readonly emit: Report<AgentEventBody>["emit"];
  readonly deadlines: Deadlines;
  /** Closes all that was opened, on every way out, in reverse order. */
  readonly cleanup: AsyncDisposableStack;
}

/** Parts of the loop's context that were opened so far. */
export type Opened = Partial<LoopContext>;

/** Opens one part of a run: returns parts of the loop's context, and attachments for the agent's task. */
export type Opening = (run: StartedRun, opened: Opened) => Contribution | Promise<Contribution>;

export type Contribution =
  | (Partial<LoopContext> & { readonly attached?: readonly Attachment[] })
  | undefined;

/** A part that an earlier opening contributed. */
export function part<Name extends keyof Opened>(
  opened: Opened,
  name: Name,
): NonNullable<Opened[Name]> {
  const found = opened[name];
  if (found === undefined || found === null) {
    throw new Error(`Nothing has opened '${name}'. Check the order of the openings.`);
  }
  return found;
}
