import { homedir } from "node:os";

/**
 * What `~` means, to rules as to tools. The same as `homedir`, which takes longer than all the rest of a decision, but also
 * in a thread that has an environment of its own: commands that are started there see that one.
 */
export function userHome(): string {
  return process.env["HOME"] || homedir();
}
