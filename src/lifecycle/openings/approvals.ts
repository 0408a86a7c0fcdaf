import { approvalsOf } from "../approvals/approvals.ts";
import { askAhead } from "../approvals/ask-ahead.ts";
import { enrolJudge } from "../approvals/enrol-judge.ts";
import { part, type Contribution, type Opened, type StartedRun } from "./opening.ts";

/** Connects the agent with the inbox, and asks ahead for an agent that will run in the background. */
export async function openApprovals(run: StartedRun, opened: Opened): Promise<Contribution> {
  const { agent, session, meets, cleanup } = run;
  const approvals = approvalsOf(run);
  cleanup.defer(() => session.denials.forget(agent.id));
  const ahead = cleanup.use(await askAhead(agent, session, approvals));
  const workbench = part(opened, "workbench");
  cleanup.defer(enrolJudge({ agent, meets, session, workbench, approvals, ahead }));
  return { approvals };
}
