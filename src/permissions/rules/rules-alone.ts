import type { PermissionPolicy, SourcedRule } from "../../contract/resolved-agent.ts";

/** The policy of rules and nothing else: no definition, no session, no memory. Its project is its working directory, and trusted. */
export function rulesAlone(cwd: string, rules: readonly SourcedRule[]): PermissionPolicy {
  return {
    mode: "default",
    rules,
    takesSessionGrants: false,
    confined: [],
    memory: null,
    project: cwd,
    trusted: true,
    cwd,
    directories: [cwd],
    own: [],
    state: [],
    readable: [],
  };
}
