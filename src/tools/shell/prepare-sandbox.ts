import type { SandboxedCommand } from "../../platform/sandbox/sandboxed-command.ts";
import { environmentOf } from "./start-shell.ts";
import type { ToolContext } from "../tool.ts";

/**
 * Prepares the sandbox of a call. A command that needed no approval runs in the tight one if it works here; every other
 * command in that of the settings. Nothing: the command runs as this process does.
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

/** Whether the command of a call was not approved: by no rule, no grant and no person. */
export function isUnapproved({ confinedTo }: Pick<ToolContext, "confinedTo">): boolean {
  return confinedTo !== undefined && confinedTo !== null;
}
