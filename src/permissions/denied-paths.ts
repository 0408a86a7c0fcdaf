import type { PermissionPolicy } from "../contract/resolved-agent.ts";
import { realGround } from "./ground.ts";
import { Rulebook } from "./policy.ts";
import { isAbout } from "./rules/rule.ts";

/** Paths in the working directories that deny and ask rules keep from commands. */
export interface DeniedPaths {
  readonly read: readonly string[];
  readonly write: readonly string[];
}

/**
 * Finds the existing paths that rules for `Read` and `Edit` match, for the kernel to hold. A pattern below which there are too
 * many names is passed over: for such files the decision is the only protection.
 */
export function deniedPaths(policy: PermissionPolicy): DeniedPaths {
  const book = new Rulebook(policy, () => [], realGround(policy.cwd));
  const rules = [...book.deny, ...book.ask].filter(({ specifier }) => specifier !== null);
  const matched = (tool: "Read" | "Edit"): string[] => {
    const about = rules.filter((rule) => isAbout(rule, tool));
    const directories = policy.directories.map((directory) => book.pair(directory));
    return about.flatMap((rule) => directories.flatMap((one) => book.matched(rule, one).paths));
  };
  return { read: [...new Set(matched("Read"))], write: [...new Set(matched("Edit"))] };
}
