import { hiddenFromSearches } from "../../permissions/hidden.ts";
import { AgentSandbox } from "../../platform/sandbox/agent-sandbox.ts";
import { Workbench } from "../../tools/workbench.ts";
import type { Contribution, StartedRun } from "./opening.ts";
import { tightSandboxOf } from "./tight-sandbox-of.ts";

/**
 * Opens the workbench of the agent's tools: files read, shells, sandboxes. Closing it ends the processes that the tools
 * started.
 */
export async function openWorkbench(run: StartedRun): Promise<Contribution> {
  const { agent, session, mail, ending, cleanup } = run;
  const library = await session.sandbox?.open();
  const hides = hiddenFromSearches(agent.meets.permissions);
  const workbench = new Workbench({
    agentId: agent.id,
    root: agent.workspace.cwd,
    directories: agent.meets.permissions.directories,
    resultsDir: session.paths.resultsDir,
    tasksDir: session.paths.tasksDir,
    ledger: session.ledger,
    tree: session.tree,
    hides,
    env: agent.meets.env,
    passes: agent.meets.passes,
    sandbox:
      library !== undefined && session.sandbox !== undefined
        ? new AgentSandbox(library, session.sandbox, agent.workspace)
        : undefined,
    tightSandbox: tightSandboxOf(agent, session, hides),
    redactor: session.redactor,
    ending,
    notify: ({ mailId: id, text }) => {
      mail.post({ id, text, source: "notification" });
    },
  });
  return { workbench: cleanup.use(workbench) };
}
