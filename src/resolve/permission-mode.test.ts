import { expect, test } from "vitest";
import { decide } from "../permissions/decide.ts";
import { realGround } from "../permissions/ground.ts";
import { Rulebook } from "../permissions/policy.ts";
import { rulesAlone } from "../permissions/rules/rules-alone.ts";
import {
  permissionModes,
  type PermissionMode,
  type WorkingMode,
} from "../contract/resolved-agent.ts";
import { loadShellParser } from "../permissions/shell/parser.ts";
import { resolveMode, sessionMode, type Voices } from "./permission-mode.ts";

await loadShellParser();

const modes = [undefined, ...permissionModes];
const working = permissionModes.filter((mode) => mode !== "delegate");
const parents = [
  ...working.map((children) => ({ children, neverAsks: children === "dontAsk" })),
  // A definition that says `plan` below a parent in `dontAsk`, or the other way round.
  { children: "plan" as const, neverAsks: true },
];

type Settled = { mode: PermissionMode; children: WorkingMode; neverAsks: boolean };

/** Every case with everything that may be said about it. */
function* cases(): Generator<Voices> {
  for (const parent of parents)
    for (const definition of modes)
      for (const host of modes)
        for (const call of modes)
          for (const isHostDefinition of [false, true])
            for (const allowsBypass of [false, true])
              yield {
                parent,
                hasParent: true,
                session: "default",
                isMain: false,
                host,
                definition,
                isHostDefinition,
                call,
                allowsBypass,
              };
}

function settled(voices: Voices): Settled | "refused" {
  try {
    const { mode, record } = resolveMode(voices);
    return { mode, children: record.children, neverAsks: record.neverAsks };
  } catch {
    return "refused";
  }
}

const cwd = "/project";
const calls = [
  { tool: "Edit", input: {}, paths: [`${cwd}/file`] },
  { tool: "Bash", input: { command: "touch file" }, paths: [] },
  { tool: "Bash", input: { command: "npm publish" }, paths: [] },
  { tool: "WebFetch", input: { url: "https://example.com/" }, paths: [] },
];
const allRules = ["Edit", "Bash(touch *)", "Bash(npm publish)", "WebFetch"];
const rank = { deny: 0, ask: 1, allow: 2 };
const known = new Map<string, number[]>();

/** The real verdicts of calls in a mode: with and without rules that allow them. */
function whatHappens(mode: PermissionMode, neverAsks: boolean): number[] {
  const key = `${mode} ${neverAsks}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const verdicts = [[], allRules].flatMap((rules) => {
    const allowed = rules.map((rule) => ({ kind: "allow", rule, source: "s" }) as const);
    const policy = { ...rulesAlone(cwd, allowed), mode };
    return calls.map((call) => {
      const book = new Rulebook(policy, () => [], realGround(cwd));
      const asked = { ...call, agentType: () => "" };
      return rank[decide(book, asked, { canAsk: !neverAsks }).verdict];
    });
  });
  known.set(key, verdicts);
  return verdicts;
}

function isWider(some: [PermissionMode, boolean?], other: [PermissionMode, boolean?]): boolean {
  const [own, limit] = [some, other].map(([mode, never = false]) => whatHappens(mode, never));
  return own?.some((verdict, at) => verdict > (limit?.[at] ?? 0)) ?? true;
}

test("the samples tell modes apart: each of these lets more happen than the one before", () => {
  const chain = ["dontAsk", "default", "acceptEdits", "bypassPermissions"] as const;
  for (const [at, mode] of chain.entries()) {
    const before = chain[at - 1];
    if (before === undefined) continue;
    expect([isWider([mode], [before]), isWider([before], [mode])]).toEqual([true, false]);
  }
  expect([isWider(["plan"], ["dontAsk"]), isWider(["dontAsk"], ["plan"])]).toEqual([true, true]);
});

test("below a parent that plans or asks nobody nothing is wider than the parent, whoever says so", () => {
  let count = 0;
  for (const voices of cases()) {
    const { children, neverAsks } = voices.parent;
    if (children !== "plan" && children !== "dontAsk") continue;
    const result = settled(voices);
    if (result === "refused") continue;
    count += 1;
    const { mode } = result;
    const own = [mode === "delegate" ? result.children : mode, result.neverAsks] as const;
    if (isWider([...own], [children, neverAsks])) expect.fail(JSON.stringify({ voices, result }));
    if (isWider([result.children, result.neverAsks], [children, neverAsks]))
      expect.fail(JSON.stringify({ voices, result }));
  }
  expect(count).toBeGreaterThan(1000);
});

test("no agent has more than its definition, the host or the call asked for", () => {
  for (const voices of cases()) {
    const result = settled(voices);
    if (result === "refused") continue;
    for (const wanted of [voices.definition, voices.host, voices.call]) {
      if (wanted === undefined || wanted === "delegate") continue;
      const { children, neverAsks } = result;
      if (isWider([children, neverAsks], [wanted])) expect.fail(JSON.stringify({ voices, result }));
    }
  }
});

test("more than the parent has is given only by the host: in a word, a definition of its own, or the right to everything", () => {
  let widened = 0;
  for (const voices of cases()) {
    const result = settled(voices);
    if (result === "refused") continue;
    const { parent, host, isHostDefinition, allowsBypass, definition } = voices;
    const byRight = allowsBypass && definition === "bypassPermissions";
    const byHost = host !== undefined || isHostDefinition || byRight;
    const limit: [PermissionMode, boolean] = [parent.children, parent.neverAsks];
    if (!isWider([result.children, result.neverAsks], limit)) continue;
    widened += 1;
    if (!byHost) expect.fail(JSON.stringify({ voices, result }));
  }
  expect(widened).toBeGreaterThan(100);
});

test("everything runs only below a parent where it does, by the host's word, or where a definition may say so", () => {
  for (const voices of cases()) {
    const result = settled(voices);
    if (result === "refused" || result.children !== "bypassPermissions") continue;
    const { parent, host, definition, allowsBypass } = voices;
    const byDefinition = definition === "bypassPermissions" && allowsBypass;
    const isGiven = host === "bypassPermissions" || byDefinition;
    if (parent.children !== "bypassPermissions" && !isGiven) expect.fail(JSON.stringify(voices));
  }
});

test("what a definition or the host asks for and does not get is said, and nothing else", () => {
  for (const voices of cases()) {
    if (voices.call !== undefined) continue;
    const { record } = resolveMode(voices);
    const { definition, host } = voices;
    const wanted = [definition, host].filter((one) => one !== undefined && one !== "delegate");
    const missed = wanted.filter((one) => {
      const narrowedByOther = wanted.some((other) => other !== one);
      return one !== record.children && !narrowedByOther;
    });
    if (missed.length > 0 && record.refused === null) expect.fail(JSON.stringify(voices));
    const isGiven = wanted.every((one) => one === record.children);
    // `plan` without questions is not all of `plan`.
    if (isGiven && !(record.neverAsks && record.children === "plan"))
      expect(record.refused).toBe(null);
  }
});

test("a model's call narrows, or is refused with the remedy; it never widens", () => {
  for (const voices of cases()) {
    if (voices.call === undefined || voices.call === "delegate") continue;
    const without = settled({ ...voices, call: undefined });
    const result = settled(voices);
    if (without === "refused") continue;
    const limit: [PermissionMode, boolean] = [without.children, without.neverAsks];
    if (result === "refused") continue;
    if (isWider([result.children, result.neverAsks], limit)) expect.fail(JSON.stringify(voices));
  }
  const asked = { ...silent, parent: sessionMode("plan"), call: "default" } as const;
  expect(() => resolveMode(asked)).toThrow(/'default' allows more than 'plan'.*Leave 'mode' out/);
});

test("an agent delegates if anybody says so, and its children have what it would have had otherwise", () => {
  for (const voices of cases()) {
    const delegates = [voices.host, voices.definition, voices.call].includes("delegate");
    const result = settled(voices);
    if (result === "refused") continue;
    if ((result.mode === "delegate") !== delegates) expect.fail(JSON.stringify(voices));
    if (!delegates) expect(result.mode).toBe(result.children);
  }
});

const silent: Voices = {
  parent: sessionMode("default"),
  hasParent: true,
  session: "default",
  isMain: false,
  host: undefined,
  definition: undefined,
  isHostDefinition: false,
  call: undefined,
  allowsBypass: false,
};

test.each<[WorkingMode, Partial<Voices>, PermissionMode, string]>([
  ["acceptEdits", { definition: "plan" }, "plan", "definition"],
  ["bypassPermissions", { definition: "default" }, "default", "definition"],
  ["auto", { call: "dontAsk" }, "dontAsk", "call"],
  ["acceptEdits", {}, "acceptEdits", "parent"],
  ["plan", { definition: "default" }, "plan", "parent"],
  ["plan", { host: "acceptEdits" }, "plan", "parent"],
  ["dontAsk", { definition: "acceptEdits", isHostDefinition: true }, "dontAsk", "parent"],
  ["default", { definition: "acceptEdits" }, "default", "parent"],
  ["default", { definition: "acceptEdits", isHostDefinition: true }, "acceptEdits", "definition"],
  ["default", { host: "acceptEdits" }, "acceptEdits", "host"],
  ["default", { host: "acceptEdits", definition: "plan" }, "plan", "definition"],
  ["default", { definition: "bypassPermissions", isHostDefinition: true }, "default", "parent"],
  [
    "default",
    { definition: "bypassPermissions", allowsBypass: true },
    "bypassPermissions",
    "definition",
  ],
  ["acceptEdits", { definition: "auto" }, "default", "definition"],
])("below %s, with %o, an agent runs in %s (%s)", (children, said, mode, from) => {
  const { mode: given, record } = resolveMode({
    ...silent,
    ...said,
    parent: sessionMode(children),
  });
  expect([given, record.from]).toEqual([mode, from]);
});

test("the main agent of a session in delegate only delegates, and its children work in what the host allows", () => {
  const parent = sessionMode("delegate");
  const main = { ...silent, parent, session: "delegate", isMain: true, hasParent: false } as const;
  const { mode, record } = resolveMode(main);
  expect([mode, record.children, record.from]).toEqual(["delegate", "default", "session"]);
  const child = { ...silent, parent: record, session: "delegate" } as const;
  expect(resolveMode(child).mode).toBe("default");
  expect(resolveMode({ ...child, host: "acceptEdits" }).mode).toBe("acceptEdits");
  expect(resolveMode({ ...child, definition: "acceptEdits" }).mode).toBe("default");
});

test("an agent that delegates below one that plans hands the plan mode on", () => {
  const { record } = resolveMode({
    ...silent,
    parent: sessionMode("plan"),
    definition: "delegate",
  });
  expect(resolveMode({ ...silent, parent: record, definition: "default" }).mode).toBe("plan");
});

test("an approved plan leads to default, and below an agent that plans nowhere", () => {
  const planning = resolveMode({ ...silent, hasParent: false, parent: sessionMode("plan") });
  expect(planning.record.afterPlan).toBe("default");
  expect(resolveMode({ ...silent, definition: "plan" }).record.afterPlan).toBe("default");
  const below = resolveMode({ ...silent, parent: planning.record, definition: "default" });
  expect([below.mode, below.record.afterPlan]).toEqual(["plan", null]);
  expect(resolveMode(silent).record.afterPlan).toBe(null);
  const quiet = resolveMode({ ...silent, parent: sessionMode("dontAsk"), definition: "plan" });
  expect(quiet.record).toMatchObject({ neverAsks: true, children: "plan", afterPlan: "dontAsk" });
});
