import { RetinueError } from "../contract/errors.ts";

/** `bypassPermissions` as root can lose the whole machine: only where somebody says that it may be lost. */
export function mayBypass(): boolean {
  return process.getuid?.() !== 0 || process.env["IS_SANDBOX"] === "1";
}

export const bypassRemedy =
  "bypassPermissions is refused for root outside a sandbox. Run as another user, or set IS_SANDBOX=1 if this machine can be lost";

export function refuseBypassForRoot(): void {
  if (!mayBypass()) throw new RetinueError("invalid_config", `${bypassRemedy}.`);
}
