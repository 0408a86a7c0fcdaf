import { decide } from "../dist/permissions/decide.js";
import { realGround } from "../dist/permissions/ground.js";
import { Rulebook } from "../dist/permissions/policy.js";
import { rulesAlone } from "../dist/permissions/rules/rules-alone.js";
import { loadShellParser } from "../dist/permissions/shell/parser.js";
import { hostileCommands, ordinaryCommands } from "./sample-commands.ts";
import type { Workspace } from "./workspace.ts";

export interface DecisionTimes {
  /** Milliseconds for one decision about an ordinary command. */
  readonly ordinary: { readonly p50: number; readonly p99: number; readonly worst: number };
  /** Kind of hostile command → the worst of its decisions, in milliseconds. */
  readonly hostile: Readonly<Record<string, number>>;
}

await loadShellParser();

const allow =
  "npm test *|npm run *|git add *|git commit *|npx vitest *|docker compose *|tsc *|oxlint *|jq *".split(
    "|",
  );
const deny = "git push *|rm -rf /*|curl *|sudo *|* --force|npm publish *".split("|");

/** Measures decisions. The first hundred rounds warm up; then every single one is timed. */
export function benchPermissions({ repository }: Workspace, runs: number): DecisionTimes {
  const judge = engine(repository);
  const rounds = runs * 100;
  for (let round = 0; round < 100; round += 1)
    for (const command of ordinaryCommands) judge(command);
  const times = Array.from({ length: rounds }, () =>
    ordinaryCommands.map((one) => taken(judge, one)),
  )
    .flat()
    .toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  const hostile = Object.entries(hostileCommands).map(([name, command]): [string, number] => {
    process.stderr.write(`decisions: ${name}\n`);
    return [name, Math.max(...Array.from({ length: runs }, () => taken(judge, command)))];
  });
  return {
    ordinary: { p50: at(0.5), p99: at(0.99), worst: at(1) },
    hostile: Object.fromEntries(hostile),
  };
}

function taken(judge: (command: string) => void, command: string): number {
  const before = performance.now();
  judge(command);
  return performance.now() - before;
}

/** Makes each decision from the start, as the loop does. */
function engine(cwd: string): (command: string) => void {
  const rule = (kind: "allow" | "deny") => (text: string) =>
    ({ kind, rule: `Bash(${text})`, source: "the bench" }) as const;
  const files = ["Read(./.env)", "Read(**/*.pem)", "Read(~/.ssh/**)", "Edit(/vendor/**)"];
  const policy = rulesAlone(cwd, [
    ...allow.map(rule("allow")),
    ...deny.map(rule("deny")),
    ...files.map((text) => ({ kind: "deny", rule: text, source: "the bench" }) as const),
  ]);
  const ground = realGround(cwd);
  return (command) => {
    const call = { tool: "Bash", input: { command }, paths: [], agentType: () => "" };
    decide(new Rulebook(policy, () => [], ground), call, { canAsk: true });
  };
}
