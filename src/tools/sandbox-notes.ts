import type { ToolContext } from "./tool.ts";

/**
 * What the sandbox has to say about a command that it stopped, in one line each with the remedy for the user. Refused hosts
 * are known from the proxy. Refused writes can only be read from what the program printed, so only when it also failed.
 */
export function sandboxNotes(
  ending: { kind: string; code?: number },
  printed: () => string,
  { workbench, agentId, callId }: Pick<ToolContext, "workbench" | "agentId" | "callId">,
): string[] {
  const { sandbox } = workbench;
  if (sandbox === undefined) return [];
  const hosts = sandbox.refusedHosts(sandboxId({ agentId, callId }));
  const notes: string[] = [];
  if (hosts.length > 0) {
    notes.push(
      `[The sandbox refused the network: ${hosts.slice(0, mostHosts).join(", ")}. The user can allow hosts in sandbox.network.allowedDomains.]`,
    );
  }
  const hasFailed = ending.kind === "exit" && ending.code !== 0;
  if (hasFailed && refusedWrite.test(printed())) {
    notes.push(
      `[The sandbox lets commands write in ${workbench.root} and $TMPDIR only, and not its protected files. The user can add directories to sandbox.filesystem.allowWrite.]`,
    );
  }
  return notes;
}

const mostHosts = 10;
const refusedWrite = /\b(?:Read-only file system|EROFS)\b/;

/** Calls of different agents may have the same id. */
export function sandboxId({ agentId, callId }: Pick<ToolContext, "agentId" | "callId">): string {
  return `${agentId}/${callId}`;
}
