import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  readdirSync,
  watch,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { trustFolder } from "../settings/trust.ts";
import { Grants } from "./grants.ts";
import { call, setDesk, type Desk } from "./inbox-fixture.ts";
import type { AllowAnswer, InboxRequest } from "./request.ts";
import { until } from "../../test/support/until.ts";

const request = (fields: Partial<InboxRequest> = {}): InboxRequest => ({
  ...call(),
  id: "q00000000",
  sessionId: "s",
  createdAt: 0,
  deadline: null,
  onDeadline: "deny",
  ...fields,
});
const allow = (scope: AllowAnswer["scope"], ...rules: string[]): AllowAnswer => ({
  verdict: "allow",
  scope,
  rules,
});
const agent = { id: "a1", type: "worker", definitionHash: "hash-1" };
const sibling = { ...agent, id: "a2" };
const edited = { ...agent, id: "a3", definitionHash: "hash-2" };
const rulesOf = (grants: Grants, who: typeof agent): string[] =>
  grants.rulesFor(who, { session: true }).map(({ rule }) => rule);
const again = ({ cwd, configDir }: Desk): Grants => new Grants({ cwd, configDir, now: () => 0 });

test("what is allowed for one agent does not leak to another, not even of the same type", async () => {
  const { grants } = setDesk();
  await grants.give(request(), allow("agent", "Bash(make all)"));
  expect(grants.rulesFor(agent, { session: true })).toEqual([
    { kind: "allow", rule: "Bash(make all)", source: "a grant to this agent" },
  ]);
  expect(rulesOf(grants, sibling)).toEqual([]);
});

test("what is allowed for the session holds for all agents of it, and for no other session", async () => {
  const desk = setDesk();
  await desk.grants.give(request(), allow("session", "Bash(make all)"));
  expect(rulesOf(desk.grants, edited)).toEqual(["Bash(make all)"]);
  expect(rulesOf(again(desk), agent)).toEqual([]);
});

test("a rule that is granted again and again is kept once", async () => {
  const { grants } = setDesk();
  for (const scope of ["agent", "session", "session", "agent"] as const)
    await grants.give(request(), allow(scope, "Edit", "Bash(make all)", "Edit"));
  expect(rulesOf(grants, sibling)).toEqual(["Edit", "Bash(make all)"]);
  expect(rulesOf(grants, agent)).toHaveLength(4);
});

test("where only managed rules may allow, nothing is kept and nothing that was kept counts", async () => {
  const desk = setDesk();
  await desk.grants.give(request(), allow("agent-always", "Edit"));
  const { cwd, configDir } = desk;
  const grants = new Grants({ cwd, configDir, now: () => 0, managedRulesOnly: true });
  for (const scope of ["agent", "session", "agent-always", "always"] as const)
    await expect(grants.give(request(), allow(scope, "Write"))).rejects.toThrow(/Allow it once/);
  await grants.give(request(), { verdict: "allow", scope: "once" });
  expect(rulesOf(grants, agent)).toEqual([]);
  expect(rulesOf(again(desk), agent)).toEqual(["Edit"]);
});

describe("always for this agent type", () => {
  test("holds in later sessions until the definition is edited; then it asks again", async () => {
    const desk = setDesk();
    await desk.grants.give(request(), allow("agent-always", "Bash(make all)"));
    const later = again(desk);
    expect(rulesOf(later, sibling)).toEqual(["Bash(make all)"]);
    expect(rulesOf(later, edited)).toEqual([]);
    expect(rulesOf(later, { ...agent, type: "other" })).toEqual([]);
    // A grant for the edited one removes what no definition can use any more.
    await later.give(request({ definitionHash: "hash-2" }), allow("agent-always", "Edit"));
    expect(rulesOf(again(desk), edited)).toEqual(["Edit"]);
    expect(rulesOf(again(desk), agent)).toEqual([]);
  });

  test("is not that of another project whose path looks alike", async () => {
    const { root, configDir } = setDesk();
    const [one, two] = ["a-b", "a/b"].map((name) => {
      const cwd = join(root, name);
      mkdirSync(join(cwd, ".git"), { recursive: true });
      return new Grants({ cwd, configDir, now: () => 0 });
    });
    await one?.give(request(), allow("agent-always", "Edit"));
    await two?.give(request(), allow("agent-always", "Write"));
    expect(readdirSync(join(configDir, "retinue", "grants"))).toHaveLength(1);
    expect(
      [one, two].map((grants) =>
        grants?.rulesFor(agent, { session: true }).map(({ rule }) => rule),
      ),
    ).toEqual([["Edit"], ["Write"]]);
  });

  test("the file is private, and two that write at once lose nothing", async () => {
    const desk = setDesk();
    const other = again(desk);
    const either = (n: number): Grants => (n % 2 === 0 ? desk.grants : other);
    const rules = Array.from({ length: 20 }, (_, n) => `Bash(make ${n})`);
    await Promise.all(
      rules.map((rule, n) => either(n).give(request(), allow("agent-always", rule))),
    );
    expect(rulesOf(again(desk), agent).toSorted()).toEqual(rules.toSorted());
    const directory = join(desk.configDir, "retinue", "grants");
    const [name = ""] = readdirSync(directory);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(desk.configDir, "retinue", "locks"))).toEqual([]);
  });

  test("a file that somebody writes while the session runs grants nothing in it", async () => {
    const desk = setDesk();
    expect(rulesOf(desk.grants, agent)).toEqual([]);
    await again(desk).give(request(), allow("agent-always", "Bash"));
    expect(rulesOf(desk.grants, agent)).toEqual([]);
    await desk.grants.give(request(), allow("agent-always", "Edit"));
    expect(rulesOf(desk.grants, agent)).toEqual(["Edit"]);
    expect(rulesOf(again(desk), agent)).toEqual(["Bash", "Edit"]);
  });

  test("a file that is no list of grants allows nothing and is not written over", async () => {
    const desk = setDesk();
    await desk.grants.give(request(), allow("agent-always", "Edit"));
    const directory = join(desk.configDir, "retinue", "grants");
    const file = join(directory, readdirSync(directory)[0] ?? "");
    writeFileSync(file, '[{"rule": "Bash"}]');
    expect(rulesOf(again(desk), agent)).toEqual([]);
    await expect(desk.grants.give(request(), allow("agent-always", "Write"))).rejects.toThrow(
      /Correct or remove the file/,
    );
    expect(readFileSync(file, "utf8")).toBe('[{"rule": "Bash"}]');
  });
});

describe("always", () => {
  const trusted = async (): Promise<Desk & { local: string }> => {
    const desk = setDesk();
    await trustFolder(desk.cwd, desk.configDir);
    return { ...desk, local: join(desk.cwd, ".claude", "settings.local.json") };
  };
  const file = (desk: Desk & { local: string }, text: string): void => {
    mkdirSync(join(desk.cwd, ".claude"), { recursive: true });
    writeFileSync(desk.local, text);
  };

  test("writes the rule to the local settings, and holds in this session at once", async () => {
    const desk = await trusted();
    await desk.grants.give(request(), allow("always", "Bash(make all)"));
    expect(JSON.parse(readFileSync(desk.local, "utf8"))).toEqual({
      permissions: { allow: ["Bash(make all)"] },
    });
    expect(desk.grants.rulesFor(sibling, { session: true })).toEqual([
      { kind: "allow", rule: "Bash(make all)", source: desk.local },
    ]);
  });

  test("goes to the file that was chosen", async () => {
    const desk = await trusted();
    await desk.grants.give(request(), { ...allow("always", "Edit"), file: "project" });
    await desk.grants.give(request(), { ...allow("always", "Write"), file: "user" });
    const allowIn = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
    const project = allowIn(join(desk.cwd, ".claude", "settings.json"));
    expect(project).toEqual({ permissions: { allow: ["Edit"] } });
    const user = allowIn(join(desk.configDir, "settings.json"));
    expect(user).toEqual({ permissions: { allow: ["Write"] } });
    expect(existsSync(desk.local)).toBe(false);
  });

  test("everything else in the file stays as it was, to the byte where there is a list", async () => {
    const desk = await trusted();
    const text =
      '{\n\t"big": 12345678901234567890,\n\t"permissions": {\n\t\t"deny": ["Read(.env)"],\n\t\t"allow": [\n\t\t\t"Edit"\n\t\t]\n\t}, "x": {}\n}';
    file(desk, text);
    await desk.grants.give(request(), allow("always", 'Bash(a "b")', "Edit"));
    expect(readFileSync(desk.local, "utf8")).toBe(
      text.replace('\t\t\t"Edit"\n', '\t\t\t"Edit",\n\t\t\t"Bash(a \\"b\\")"\n'),
    );
    const written = statSync(desk.local).ino;
    await desk.grants.give(request(), allow("always", "Edit"));
    expect(statSync(desk.local).ino).toBe(written);
  });

  test.each([
    ['{"a": 1}', '{"a": 1, "permissions": {"allow": ["Edit"]}}'],
    ['{"permissions": {"ask": []}}', '{"permissions": {"ask": [], "allow": ["Edit"]}}'],
    ['{"permissions": {"allow": []}}', '{"permissions": {"allow": ["Edit"]}}'],
    ['{"permissions":{"allow":["A","B"]}}', '{"permissions":{"allow":["A","B","Edit"]}}'],
    ['{"permissions": {"allow": [7]}}', '{"permissions": {"allow": [7, "Edit"]}}'],
    [
      '{"permissions": {"allow": ["A"]}, "permissions": {"allow": ["B"]}}',
      '{"permissions": {"allow": ["B", "Edit"]}}',
    ],
    ["", '{"permissions": {"allow": ["Edit"]}}'],
  ])("%s becomes %s", async (before, after) => {
    const desk = await trusted();
    file(desk, before);
    await desk.grants.give(request(), allow("always", "Edit"));
    expect(JSON.parse(readFileSync(desk.local, "utf8"))).toEqual(JSON.parse(after));
  });

  test.each(["{", "[]", '{"permissions": []}', '{"permissions": {"allow": "Edit"}}', "null"])(
    "a file that holds %s is not touched",
    async (text) => {
      const desk = await trusted();
      file(desk, text);
      await expect(desk.grants.give(request(), allow("always", "Edit"))).rejects.toThrow(
        /No rule was added to .*Correct it/,
      );
      expect(readFileSync(desk.local, "utf8")).toBe(text);
      expect(rulesOf(desk.grants, agent)).toEqual([]);
    },
  );

  test("a link out of the project is not followed", async () => {
    const desk = await trusted();
    const outside = join(desk.root, "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(desk.cwd, ".claude"));
    await expect(desk.grants.give(request(), allow("always", "Edit"))).rejects.toThrow(
      /leads out of the project/,
    );
    expect(readdirSync(outside)).toEqual([]);
  });

  test("two that write at once lose nothing", async () => {
    const desk = await trusted();
    const other = again(desk);
    const either = (n: number): Grants => (n % 2 === 0 ? desk.grants : other);
    const rules = Array.from({ length: 20 }, (_, n) => `Bash(make ${n})`);
    await Promise.all(rules.map((rule, n) => either(n).give(request(), allow("always", rule))));
    const { permissions } = JSON.parse(readFileSync(desk.local, "utf8")) as {
      permissions: { allow: string[] };
    };
    expect(permissions.allow.toSorted()).toEqual(rules.toSorted());
  });

  test("a lock that a killed process left is taken over", async () => {
    const desk = await trusted();
    const locks = join(desk.configDir, "retinue", "locks");
    const seen: string[] = [];
    mkdirSync(locks, { recursive: true });
    // The name of the lock, from one that is made right now.
    const giving = desk.grants.give(request(), allow("always", "Edit"));
    const watching = watch(locks, (_, name) => seen.push(name ?? ""));
    await giving;
    await until(() => expect(seen).not.toHaveLength(0));
    watching.close();
    expect(new Set(seen).size).toBe(1);
    writeFileSync(join(locks, seen[0] ?? ""), "999999999 1");
    await desk.grants.give(request(), allow("always", "Write"));
    expect(rulesOf(desk.grants, agent)).toEqual(["Edit", "Write"]);
  });
});
