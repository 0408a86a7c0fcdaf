import type { PermissionPolicy } from "../resolved-agent.ts";
import { isInside } from "../platform/is-inside.ts";
import type { SourcedRule } from "./decision.ts";
import type { Ground } from "./ground.ts";
import { matchesPath, pathRules, type PathRule } from "./path-rule.ts";
import { isAbout, parseRule, type Rule } from "./rule.ts";

/** A path as it was given and as it is after resolving every link. */
export interface PathPair {
  readonly given: string;
  readonly real: string;
}

/** A policy ready to be asked: its rules are taken apart once. */
export class Rulebook {
  readonly policy: PermissionPolicy;
  readonly ground: Ground;
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly allow: readonly Rule[];

  constructor(policy: PermissionPolicy, grants: readonly SourcedRule[], ground: Ground) {
    this.policy = policy;
    this.ground = ground;
    const rules = [...parsed(policy.rules), ...grants.map(parseRule)];
    this.deny = rules.filter(({ kind }) => kind === "deny");
    this.ask = rules.filter(({ kind }) => kind === "ask");
    this.allow = rules.filter(({ kind }) => kind === "allow");
  }

  /** Some rule keeps files from being read. */
  get hidesFiles(): boolean {
    return [...this.deny, ...this.ask].some(
      (rule) => rule.specifier !== null && isAbout(rule, "Read"),
    );
  }

  pair(path: string): PathPair {
    return { given: path, real: this.ground.realPath(path) };
  }

  /** Whether a rule's specifier, as a pattern of paths, fits: forbidding ones either spelling, allowing ones both. */
  fits(rule: Rule, { given, real }: PathPair): boolean {
    const rules = compiled(rule, this.#anchors());
    const matches = (path: string): boolean => rules.some((one) => matchesPath(one, path));
    return rule.kind === "allow"
      ? matches(given) && matches(real)
      : matches(given) || matches(real);
  }

  /** Both spellings lie inside the working directories. */
  isInside(pair: PathPair): boolean {
    return bothInside(this.policy.directories, pair);
  }

  /** Inside them, or where the session keeps what it may read. */
  isReadable(pair: PathPair): boolean {
    return this.isInside(pair) || bothInside(this.policy.readable, pair);
  }

  #anchors(): { project: string; cwd: string; home: string } {
    return { project: this.policy.project, cwd: this.policy.cwd, home: this.ground.home };
  }
}

export function bothInside(directories: readonly string[], { given, real }: PathPair): boolean {
  const inside = (path: string): boolean => directories.some((one) => isInside(one, path));
  return inside(given) && inside(real);
}

const parsedRules = new WeakMap<readonly SourcedRule[], readonly Rule[]>();

function parsed(rules: readonly SourcedRule[]): readonly Rule[] {
  let known = parsedRules.get(rules);
  if (known === undefined) {
    known = rules.map(parseRule);
    parsedRules.set(rules, known);
  }
  return known;
}

const compiledRules = new WeakMap<Rule, { key: string; rules: PathRule[] }>();

/** Looking up the links of a rule takes time, and rules are asked before every call. */
function compiled(rule: Rule, anchors: { project: string; cwd: string; home: string }): PathRule[] {
  const key = `${anchors.project}\0${anchors.cwd}\0${anchors.home}`;
  const known = compiledRules.get(rule);
  if (known?.key === key) return known.rules;
  const rules = pathRules(rule.specifier ?? "", rule.kind, anchors);
  compiledRules.set(rule, { key, rules });
  return rules;
}
