import { modeBySettings } from "../permissions/rules/from-settings.ts";
import type { ModeRecord, PermissionMode } from "../contract/resolved-agent.ts";
import { sessionMode } from "../resolve/permission-mode.ts";
import type { Settings } from "../settings/settings.ts";

/** The modes that `retinue run` gives to its agents with these options. Throws where the settings forbid one, as a run does. */
export function modesHere(
  options: {
    permissionMode?: PermissionMode | "manual";
    childPermissionMode?: PermissionMode;
  },
  settings: Settings,
): { mode: ModeRecord; childMode: PermissionMode | undefined } {
  const { permissionMode, childPermissionMode } = options;
  const given = permissionMode === "manual" ? "default" : permissionMode;
  return {
    mode: sessionMode(modeBySettings(given, settings)),
    childMode: childPermissionMode && modeBySettings(childPermissionMode, settings),
  };
}
