import { isOwnName } from "./own-name.ts";
import type { ShellAssignment } from "./shell.ts";

const safeVariable = /^(?:NODE_ENV|LANG|LC_[A-Z]+|NO_COLOR|FORCE_COLOR|TZ)$/;

/** In front of a command: variables that change nothing about which code runs. */
export function isSafeAssignment({ name, value }: ShellAssignment): boolean {
  return safeVariable.test(name) && value !== null && !value.text.includes("$(");
}

/** By itself: variables of the script's own. */
export function isOwnVariable(assignment: ShellAssignment): boolean {
  const { name } = assignment;
  return isSafeAssignment(assignment) || isOwnName(name);
}
