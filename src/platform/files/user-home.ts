import { homedir } from "node:os";

/**
 * The meaning of `~`, for rules and tools alike. The same as `homedir`, which takes longer than all the rest of a
 * decision; also right in a thread that has an environment of its own, which the commands started there see.
 */
export function userHome(): string {
  return process.env["HOME"] || homedir();
}
