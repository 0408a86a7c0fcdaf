import type { PermissionMode } from "../contract/resolved-agent.ts";
import type { Settings } from "../settings/settings.ts";

/**
 * Whether nobody is asked for an agent: because of the modes above it, or because the settings answer with no for agents in the
 * background. Of these, the mode `bubble` asks all the same.
 */
export function isKeptFromAsking(
  agent: {
    readonly background: boolean;
    readonly mode: PermissionMode;
    readonly neverAsks?: boolean;
  },
  { background }: Pick<Settings, "background">,
): boolean {
  if (agent.neverAsks === true) return true;
  return agent.background && background.prompts === "deny" && agent.mode !== "bubble";
}
