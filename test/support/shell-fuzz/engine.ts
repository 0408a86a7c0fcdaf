import { decide } from "../../../src/permissions/decide.ts";
import { realGround, type Ground } from "../../../src/permissions/ground.ts";
import { Rulebook } from "../../../src/permissions/policy.ts";
import { rulesAlone } from "../../../src/permissions/rules/rules-alone.ts";
import { readShell } from "../../../src/permissions/shell/grammar.ts";
import { loadShellParser } from "../../../src/permissions/shell/parser.ts";
import type { Shell } from "../../../src/permissions/shell/shell.ts";
import type { Places } from "./lanes.ts";
import { allowedStubs } from "./stubs.ts";

await loadShellParser();

export type Verdict = "allow" | "ask" | "deny";

/** One policy under which every command is decided. */
export interface Policy {
  readonly name: string;
  readonly mode?: "acceptEdits" | "plan";
  readonly trusted?: boolean;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Programs of the stubs that may run under it. */
  readonly runs?: readonly string[];
  /** Everything may run and be written except what deny rules name. */
  readonly isBare?: boolean;
}

/** The deny rules of all policies that have some. */
const denies = ["Bash(evil *)", "Bash(evil)", "Read(.env)", "Read(secrets/**)", "Edit(kept.txt)"];

export const policies = [
  { name: "no rules" },
  { name: "untrusted", trusted: false },
  { name: "plan", mode: "plan" },
  {
    name: "rules",
    allow: allowedStubs.map((name) => `Bash(${name} *)`),
    deny: denies,
    runs: allowedStubs,
  },
  { name: "acceptEdits", mode: "acceptEdits", deny: denies },
  { name: "bare Bash", allow: ["Bash"], deny: denies, isBare: true },
] as const satisfies readonly Policy[];

/** The permission engine and the reader of the product. All that knows them is here. */
export interface Engine {
  read: (command: string) => Shell | null;
  decide: (policy: Policy, command: string, moreDenied?: string) => Verdict;
}

export function openEngine({ work, home }: Pick<Places, "work" | "home">): Engine {
  const ground = remembering(realGround(work, home, home));
  const known = new Map<string, ReturnType<typeof rulesAlone>>();
  return {
    read(command) {
      const read = readShell(command);
      return read.readable ? read.shell : null;
    },
    decide(policy, command, moreDenied) {
      const key = `${policy.name} ${moreDenied ?? ""}`;
      const rules = known.get(key) ?? resolved(policy, moreDenied);
      known.set(key, rules);
      const call = { tool: "Bash", input: { command }, paths: [], agentType: () => "" };
      return decide(new Rulebook(rules, () => [], ground), call, { canAsk: true }).verdict;
    },
  };

  function resolved(policy: Policy, moreDenied: string | undefined): ReturnType<typeof rulesAlone> {
    const rule = (kind: "allow" | "deny", text: string) =>
      ({ kind, rule: text, source: "the fuzzer" }) as const;
    const rules = [
      ...(policy.allow ?? []).map((text) => rule("allow", text)),
      ...(policy.deny ?? []).map((text) => rule("deny", text)),
      ...(moreDenied === undefined ? [] : [rule("deny", moreDenied)]),
    ];
    const { mode = "default", trusted = true } = policy;
    return { ...rulesAlone(work, rules), mode, trusted };
  }
}

/** The files that decisions are made for never change, so that each is looked at once. */
function remembering(ground: Ground): Ground {
  const paths = new Map<string, string>();
  const names = new Map<string, readonly string[] | null>();
  return {
    ...ground,
    realPath(path) {
      const known = paths.get(path) ?? ground.realPath(path);
      if (paths.size < mostRemembered) paths.set(path, known);
      return known;
    },
    list(directory) {
      const known = names.get(directory);
      if (known !== undefined) return known;
      const found = ground.list(directory);
      if (names.size < mostRemembered) names.set(directory, found);
      return found;
    },
  };
}

const mostRemembered = 200_000;
