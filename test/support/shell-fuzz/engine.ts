import { decide } from "../../../src/permissions/decide.ts";
import type { Decide } from "./compare.ts";
import { allowedStubs } from "./stubs.ts";

/** The permission engine under these rules, in mode `default`, for commands that run in `cwd`. All that knows it is here. */
export function openEngine(cwd: string): Decide {
  const rules = { allow: allowedStubs.map((name) => `Bash(${name} *)`), deny: ["Bash(evil *)"] };
  const policy = {
    mode: "default",
    confined: {},
    memory: null,
    forbidding: rules.deny.map((rule) => ({
      kind: "deny" as const,
      rule,
      tool: "Bash",
      specifier: rule.slice("Bash(".length, -1),
    })),
    ruleRoots: [cwd],
    allowedTools: rules.allow,
    readableDirectories: [cwd],
  } as const;
  return (command) => {
    const call = { tool: "Bash", input: { command }, paths: [] };
    return decide(policy, call).allowed ? "allow" : "deny";
  };
}
