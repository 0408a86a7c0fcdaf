import { decide } from "../../../src/permissions/decide.ts";
import { realGround } from "../../../src/permissions/ground.ts";
import { Rulebook } from "../../../src/permissions/policy.ts";
import { rulesAlone } from "../../../src/permissions/rules-alone.ts";
import { loadShellParser } from "../../../src/shell/parser.ts";
import type { Decide } from "./compare.ts";
import { allowedStubs } from "./stubs.ts";

await loadShellParser();

/** The permission engine under these rules, in mode `default`, for commands that run in `cwd`. All that knows it is here. */
export function openEngine(cwd: string): Decide {
  const rule = (kind: "allow" | "deny", name: string) =>
    ({ kind, rule: `Bash(${name} *)`, source: "the fuzzer" }) as const;
  const policy = rulesAlone(cwd, [
    ...allowedStubs.map((name) => rule("allow", name)),
    rule("deny", "evil"),
  ]);
  const ground = realGround(cwd);
  return (command) => {
    const call = { tool: "Bash", input: { command }, paths: [], agentType: () => "" };
    return decide(new Rulebook(policy, () => [], ground), call, { canAsk: true }).verdict;
  };
}
