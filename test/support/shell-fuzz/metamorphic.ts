import { policies, type Engine, type Policy, type Verdict } from "./engine.ts";

/** Changes to a command or to the rules that must not turn ask or deny into allow. */
export function widenings(
  engine: Engine,
  command: string,
  verdicts: readonly (Verdict | null)[],
): string[] {
  if (engine.read(command) === null) return [];
  return policies.flatMap((policy, at) => {
    const before = verdicts[at];
    return before === undefined || before === null ? [] : widened(engine, policy, command, before);
  });
}

function widened(engine: Engine, policy: Policy, command: string, before: Verdict): string[] {
  const found: string[] = [];
  if (before !== "allow") {
    for (const [name, change] of changes) {
      if (engine.decide(policy, change(command)) === "allow")
        found.push(`${policy.name}: ${before}, but allow ${name}`);
    }
  }
  for (const rule of furtherRules) {
    const after = engine.decide(policy, command, rule);
    const isWider = rank[after] > rank[before];
    if (isWider) found.push(`${policy.name}: ${before}, but ${after} with the deny rule ${rule}`);
  }
  return found;
}

const rank: Readonly<Record<Verdict, number>> = { deny: 0, ask: 1, allow: 2 };

const changes: readonly (readonly [string, (command: string) => string])[] = [
  ["in parentheses", (command) => `(\n${command}\n)`],
  ["with true behind it", (command) => `${command}\ntrue`],
  ["with true in front of it", (command) => `true; ${command}`],
  ["in a group", (command) => `{ ${command}\n}`],
  ["in a condition", (command) => `if true; then ${command}\nfi`],
];

const furtherRules = ["Bash(cat *)", "Read(data.txt)", "Bash(good1 *)"];
