import { deniedPaths } from "../../permissions/denied-paths.ts";
import { TightSandbox } from "../../platform/sandbox/tight-sandbox.ts";
import type { ResolvedAgent } from "../../contract/resolved-agent.ts";
import type { Session } from "../session.ts";

/** The sandbox for commands of an agent that needed no approval, unless the settings switch it off. */
export function tightSandboxOf(
  agent: ResolvedAgent,
  { settings: { sandbox } }: Pick<Session, "settings">,
  hides: ((path: string) => boolean) | undefined,
): TightSandbox | undefined {
  if (!sandbox.autoApproved) return undefined;
  const { directories, readable, own } = agent.meets.permissions;
  return new TightSandbox({
    directories,
    readable,
    own,
    hides,
    denied: () => deniedPaths(agent.meets.permissions),
    ...(sandbox.enabled && { forbidden: sandbox.filesystem }),
  });
}
