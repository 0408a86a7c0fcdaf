import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { decide } from "../../src/permissions/decide.ts";
import type { Decision, SourcedRule } from "../../src/permissions/decision.ts";
import { realGround } from "../../src/permissions/ground.ts";
import { Rulebook } from "../../src/permissions/policy.ts";
import { rulesAlone } from "../../src/permissions/rules/rules-alone.ts";
import type { PermissionMode, PermissionPolicy } from "../../src/contract/resolved-agent.ts";
import type { Effect } from "../../src/tools/traits.ts";
import { temporaryDirectory } from "./stage.ts";

/** The inputs of a decision. */
export interface Circumstances {
  readonly mode?: PermissionMode;
  /** Each with its kind in front: `deny Bash(rm *)`. */
  readonly rules?: readonly string[];
  readonly grants?: readonly string[];
  /** Where the call runs, below the project. */
  readonly at?: string;
  readonly canAsk?: boolean;
  readonly policy?: Partial<PermissionPolicy>;
}

/** Beside each other: a project, somebody's home, and what is neither. */
export interface Country {
  readonly project: string;
  readonly home: string;
  readonly outside: string;
}

/** Files and links; what ends in `/` is a directory. The value of a link starts with `-> ` and may name `outside`. */
export function makeCountry(entries: Readonly<Record<string, string>> = {}): Country {
  const root = temporaryDirectory();
  const country = {
    project: join(root, "project"),
    home: join(root, "home"),
    outside: join(root, "outside"),
  };
  for (const directory of Object.values(country)) mkdirSync(directory);
  for (const [name, text] of Object.entries(entries)) {
    const path = join(root, name);
    mkdirSync(name.endsWith("/") ? path : dirname(path), { recursive: true });
    if (text.startsWith("-> "))
      symlinkSync(text.slice(3).replace(/^(outside|project|home)/, `${root}/$1`), path);
    else if (!name.endsWith("/")) writeFileSync(path, text);
  }
  return country;
}

export function sourced(rules: readonly string[] = []): SourcedRule[] {
  return rules.map((text) => {
    const [kind, rule] = [text.slice(0, text.indexOf(" ")), text.slice(text.indexOf(" ") + 1)];
    if (kind !== "allow" && kind !== "ask" && kind !== "deny") throw new Error(`${text}?`);
    return { kind, rule, source: "the test" };
  });
}

export function bookOf(
  { project, home }: Country,
  { mode, rules, grants, at, policy }: Circumstances = {},
): Rulebook {
  return new Rulebook(
    {
      ...rulesAlone(project, sourced(rules)),
      mode: mode ?? "default",
      ...policy,
    },
    () => sourced(grants),
    realGround(join(project, at ?? ""), home),
  );
}

export function decisionOf(
  call: {
    readonly tool: string;
    readonly input?: Record<string, unknown>;
    readonly paths?: string[];
    readonly effect?: Effect;
  },
  country: Country,
  circumstances: Circumstances = {},
): Decision {
  const whole = {
    input: {},
    paths: [],
    agentType: (name: string | undefined) => name?.toLowerCase() ?? "general",
    ...call,
  };
  return decide(bookOf(country, circumstances), whole, { canAsk: circumstances.canAsk ?? true });
}

/** The decision about a command. */
export function verdictOf(
  command: string,
  country: Country,
  circumstances: Circumstances = {},
): Decision["verdict"] {
  return decisionOf({ tool: "Bash", input: { command } }, country, circumstances).verdict;
}
