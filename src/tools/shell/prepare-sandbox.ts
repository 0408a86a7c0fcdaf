import type { SandboxedCommand } from "../../platform/sandbox/sandboxed-command.ts";
import { environmentOf } from "./start-shell.ts";
import type { ToolContext } from "../tool.ts";

/**
 * Prepares the sandbox of a call. A command that was approved by nobody runs in the tight one where there is one; every other
 * command in that of the settings. Nothing: it runs as we do.
 */
export async function prepareSandbox(
  call: { command: string; directory: string; prelude: string },
  context: ToolContext,
  signal: AbortSignal,
): Promise<SandboxedCommand | undefined> {
  const { workbench, confinedTo, agentId, callId } = context;
  const prepared = {
    ...call,
    // Calls of different agents may have the same id.
    id: `${agentId}/${callId}`,
    cwd: workbench.cwd,
    env: environmentOf(workbench, isUnapproved(context)),
    signal,
  };
  const tight =
    confinedTo === undefined || confinedTo === null
      ? undefined
      : await workbench.tightSandbox?.prepare({ ...prepared, confinedTo });
  return tight ?? workbench.sandbox?.prepare(prepared);
}

/** Whether nobody approved the command of a call: no rule, no grant and no person. */
export function isUnapproved({ confinedTo }: Pick<ToolContext, "confinedTo">): boolean {
  return confinedTo !== undefined && confinedTo !== null;
}
