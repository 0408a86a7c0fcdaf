import type { Attachment } from "../../contract/message.ts";
import type { LoopContext } from "../../loop/loop-context.ts";
import { openApprovals } from "./approvals.ts";
import { openModel } from "./model.ts";
import { openFirstMessage } from "./first-message.ts";
import { part, type Opened, type Opening, type StartedRun } from "./opening.ts";
import { openSteps } from "./steps.ts";
import { openSummaries } from "./summaries.ts";
import { openTools } from "./tools.ts";
import { openWorkbench } from "./workbench.ts";

/** The order in which a run opens its parts. A new part of every agent's run is one more entry. */
const openings: readonly Opening[] = [
  openFirstMessage,
  openWorkbench,
  openApprovals,
  openModel,
  openSummaries,
  openTools,
  openSteps,
];

/** Opens every part of a run. */
export async function openAll(run: StartedRun): Promise<{
  context: LoopContext;
  attachments: readonly Attachment[];
}> {
  const opened: Opened = {};
  const attachments: Attachment[] = [];
  for (const open of openings) {
    const { attached = [], ...parts } = (await open(run, opened)) ?? {};
    Object.assign(opened, parts);
    attachments.push(...attached);
  }
  const { agent, meets, session, wrapUp, deadlines, report, mail, history, abort } = run;
  const context: LoopContext = {
    agent,
    meets,
    limits: session.limits,
    clock: session.clock,
    signal: abort.signal,
    wrapUp,
    grows: () => deadlines.grows(),
    report,
    mail,
    history,
    ...opened,
    model: part(opened, "model"),
    tools: part(opened, "tools"),
    toolSpecs: part(opened, "toolSpecs"),
    workbench: part(opened, "workbench"),
    approvals: part(opened, "approvals"),
    steps: part(opened, "steps"),
  };
  return { context, attachments };
}
