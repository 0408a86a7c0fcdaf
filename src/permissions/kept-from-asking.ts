import type { PermissionMode } from "../resolved-agent.ts";
import type { Settings } from "../settings/settings.ts";

/** Whether the settings answer for an agent in the background, with no. The mode `bubble` asks all the same. */
export function isKeptFromAsking(
  agent: { readonly background: boolean; readonly mode: PermissionMode },
  { background }: Pick<Settings, "background">,
): boolean {
  return agent.background && background.prompts === "deny" && agent.mode !== "bubble";
}
