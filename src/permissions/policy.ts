import { join, relative } from "node:path";
import type { PermissionPolicy } from "../contract/resolved-agent.ts";
import { isInside } from "../platform/files/is-inside.ts";
import type { RuleKind, SourcedRule } from "./decision.ts";
import type { Ground } from "./ground.ts";
import type { Mention } from "./bash/files/mentioned-files.ts";
import { isProtected } from "./protected.ts";
import { filesBelow } from "./bash/files/files-below.ts";
import {
  matchesPath,
  pathRules,
  startBelow,
  type Anchors,
  type PathRule,
} from "./rules/path-rule.ts";
import { mayName } from "./rules/loose-name.ts";
import { parseRule, type Rule } from "./rules/rule.ts";

/** A path as it was given and as it is after resolving every link. */
export interface PathPair {
  readonly given: string;
  readonly real: string;
}

/** A policy ready to be asked: its rules are taken apart once. What was granted is looked up when a rule that allows is needed. */
export class Rulebook {
  readonly policy: PermissionPolicy;
  readonly ground: Ground;
  readonly #rules: RulesByKind;
  readonly #grants: () => readonly SourcedRule[];
  #allow: readonly Rule[] | undefined;
  readonly #forbidding = new Map<Rule, PathRule[]>();

  constructor(policy: PermissionPolicy, grants: () => readonly SourcedRule[], ground: Ground) {
    this.policy = policy;
    this.ground = ground;
    this.#rules = rulesOfPolicy(policy.rules);
    this.#grants = grants;
  }

  get deny(): readonly Rule[] {
    return this.#rules.deny;
  }

  get ask(): readonly Rule[] {
    return this.#rules.ask;
  }

  get allow(): readonly Rule[] {
    this.#allow ??= [...this.#rules.allow, ...rulesOfKind("allow", this.#grants().map(parsed))];
    return this.#allow;
  }

  pair(path: string): PathPair {
    return { given: path, real: this.ground.realPath(path) };
  }

  /** Whether a rule's specifier, as a pattern of paths, fits: forbidding ones either spelling, allowing ones both. */
  fits(rule: Rule, { given, real }: PathPair): boolean {
    const rules = this.#compiled(rule);
    const matches = (path: string): boolean => rules.some((one) => matchesPath(one, path));
    if (given === real) return matches(given);
    return rule.kind === "allow"
      ? matches(given) && matches(real)
      : matches(given) || matches(real);
  }

  /** Whether a word of a program that is not known may name a file of the rule. */
  mayName(rule: Rule, mention: Pick<Mention, "word" | "isPlaced">): boolean {
    return this.#compiled(rule).some((one) => {
      const top = startBelow(one, "/") ?? "/";
      const isTree = /\/\**$/.test(rule.specifier ?? "") || this.#isDirectory(top);
      const isInTree = (path: string): boolean => this.ground.exists(join(top, path));
      return mayName(one, mention, isTree ? isInTree : undefined);
    });
  }

  #isDirectory(path: string): boolean {
    return path !== "/" && this.ground.exists(path) && !this.ground.isFile(path);
  }

  /** The existing paths in a directory that a rule fits. `isWhole`: few enough names are below it to tell them all. */
  matched(rule: Rule, directory: PathPair): { paths: readonly string[]; isWhole: boolean } {
    const { ground } = this;
    const paths: string[] = [];
    let isWhole = true;
    for (const one of this.#compiled(rule)) {
      const start = startBelow(one, directory.given) ?? startBelow(one, directory.real);
      if (start === null || !ground.exists(start)) continue;
      if (matchesPath(one, start)) {
        paths.push(start);
        continue;
      }
      const below = filesBelow([{ pair: this.pair(start), part: "" }], ground);
      isWhole &&= below !== null;
      const found = (below ?? []).map(({ pair }) => pair.given);
      paths.push(...found.filter((path) => matchesPath(one, path)));
    }
    return { paths, isWhole };
  }

  /** Whether a directory holds something that a rule fits; `null`: it holds too much to tell. */
  holds(rule: Rule, directory: PathPair): boolean | null {
    const { paths, isWhole } = this.matched(rule, directory);
    if (paths.length > 0) return true;
    return isWhole ? false : null;
  }

  /** Both spellings lie inside the working directories. */
  isInside(pair: PathPair): boolean {
    return bothInside(this.policy.directories, pair);
  }

  /** A new name that a glob of another command would turn into an option: `-R`. */
  isOption({ given, real }: PathPair): boolean {
    const { ground } = this;
    const isNew = (path: string): boolean =>
      /(?:^|\/)-/.test(relative(this.policy.cwd, path)) && !ground.exists(path);
    return isNew(given) || isNew(real);
  }

  /** Inside them, or where the session keeps what it may read. */
  isReadable(pair: PathPair): boolean {
    return this.isInside(pair) || bothInside(this.policy.readable, pair);
  }

  /**
   * Really inside the agent's own memory: both spellings, and no link has come to stand on the way to it. The one question behind
   * everything that a memory allows.
   */
  isInMemory(pair: PathPair): boolean {
    const directory = this.policy.memory?.directory ?? null;
    return (
      directory !== null &&
      bothInside([directory], pair) &&
      this.ground.realPath(directory) === directory
    );
  }

  /** Either spelling is a path that no rule allows to write. A memory is looked at from its own root. */
  isProtected(pair: PathPair): boolean {
    const { project, directories, own, memory } = this.policy;
    const all = [project, this.ground.home, ...directories];
    const roots = this.isInMemory(pair)
      ? { directories: [memory?.directory ?? ""], own: [] }
      : { directories: all, own };
    return isProtected(pair.given, roots) || isProtected(pair.real, roots);
  }

  /** Paths of rules that forbid: links are looked up for each call: one that was made since leads to what is meant. */
  #compiled(rule: Rule): PathRule[] {
    const { project, cwd } = this.policy;
    const anchors = { project, cwd, home: this.ground.home };
    if (rule.kind === "allow") return compiledOnce(rule, anchors);
    let rules = this.#forbidding.get(rule);
    if (rules === undefined) {
      rules = pathRules(rule.specifier ?? "", rule.kind, anchors);
      this.#forbidding.set(rule, rules);
    }
    return rules;
  }
}

export function bothInside(directories: readonly string[], { given, real }: PathPair): boolean {
  const inside = (path: string): boolean => directories.some((one) => isInside(one, path));
  return inside(given) && inside(real);
}

type RulesByKind = Readonly<Record<RuleKind, readonly Rule[]>>;

const rulesOfPolicies = new WeakMap<readonly SourcedRule[], RulesByKind>();

/** The agents of a type share the rules of their policy, and ask before every call. */
function rulesOfPolicy(sourced: readonly SourcedRule[]): RulesByKind {
  let rules = rulesOfPolicies.get(sourced);
  if (rules === undefined) {
    const all = sourced.map(parsed);
    rules = {
      deny: rulesOfKind("deny", all),
      ask: rulesOfKind("ask", all),
      allow: rulesOfKind("allow", all),
    };
    rulesOfPolicies.set(sourced, rules);
  }
  return rules;
}

function rulesOfKind(wanted: RuleKind, rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ kind }) => kind === wanted);
}

const knownRules = new Map<string, Rule>();
const mostKnown = 10_000;

/** Rules are asked before every call; each is taken apart once. */
function parsed(sourced: SourcedRule): Rule {
  const key = [sourced.kind, sourced.source, sourced.rule].join("\0");
  let rule = knownRules.get(key);
  if (rule === undefined) {
    rule = parseRule(sourced);
    if (knownRules.size < mostKnown) knownRules.set(key, rule);
  }
  return rule;
}

const allowing = new WeakMap<Rule, { key: string; rules: PathRule[] }>();

/** Paths of rules that allow: links are looked up once: a link that comes later does not widen them. */
function compiledOnce(rule: Rule, anchors: Anchors): PathRule[] {
  const key = `${anchors.project}\0${anchors.cwd}\0${anchors.home}`;
  const known = allowing.get(rule);
  if (known?.key === key) return known.rules;
  const rules = pathRules(rule.specifier ?? "", rule.kind, anchors);
  allowing.set(rule, { key, rules });
  return rules;
}
