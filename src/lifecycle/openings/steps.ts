import { begunCalls } from "../../loop/pending.ts";
import { journalSteps } from "../history/journal.ts";
import { Waits } from "../time/waits.ts";
import type { Contribution, StartedRun } from "./opening.ts";

/** Opens the journal through which the agent touches the world. */
export function openSteps(run: StartedRun): Contribution {
  const { agent, session, recorder, ticket, deadlines, report, wrapUp, history, abort } = run;
  const waits = new Waits({ ticket, deadlines, signal: abort.signal, emit: report.emit });
  const signal = wrapUp.working;
  const begun = begunCalls(history);
  return { steps: journalSteps({ agent, session, recorder, waits, signal, begun }) };
}
