import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AgentDefinition } from "../definitions/definition.ts";
import { limitsSchema, settingsSchema } from "../settings/settings.ts";
import { newAgentId } from "../contract/ids.ts";
import { toolRegistry } from "../tools/registry.ts";
import { sessionMode } from "./permission-mode.ts";
import { resolvePolicy, type PolicySurroundings } from "./policy.ts";
import type { Above } from "./resolve.ts";

const helper: AgentDefinition = {
  name: "helper",
  description: "d",
  prompt: "p",
  source: "project",
  file: null,
};

function surroundings(): PolicySurroundings {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "retinue-policy-")));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  return {
    settings: settingsSchema.parse({}),
    limits: limitsSchema.parse({}),
    availableTools: ["Agent", "Bash", "Edit", "Read", "Write"].flatMap(
      (name) => toolRegistry.get(name) ?? [],
    ),
    trusted: true,
    project: cwd,
    addedDirectories: [],
    own: [],
    readable: [],
    allowsBypass: false,
    childMode: undefined,
    environment: { cwd, configDir: join(cwd, "config"), repository: undefined },
  };
}

const permissions: Above["permissions"] = { rules: [], confined: [], takesSessionGrants: true };
const meets: Above = { permissions, mode: sessionMode("default") };
const parentId = newAgentId();

test("siblings to whom the same was said share one answer, and nobody else gets it", () => {
  const context = {
    origin: { meets, parentId, byModel: true, depth: 1 },
    background: false,
    surroundings: surroundings(),
  };
  const { origin } = context;
  const first = resolvePolicy(helper, {}, context);
  expect(resolvePolicy(helper, {}, { ...context, origin: { ...origin } })).toBe(first);

  const planned = resolvePolicy(helper, { mode: "plan" }, context);
  expect(planned.policy.mode).toBe("plan");
  const allowed = resolvePolicy(helper, { allowedTools: ["Bash"] }, context);
  expect(allowed.policy.rules.map(({ rule }) => rule)).toEqual(["Bash"]);
  const parent = { ...origin, meets: { permissions, mode: sessionMode("plan") } };
  expect(resolvePolicy(helper, {}, { ...context, origin: parent }).policy.mode).toBe("plan");
  const deepest = { ...origin, depth: context.surroundings.limits.maxSpawnDepth };
  expect(resolvePolicy(helper, {}, { ...context, origin: deepest }).tools.tools).not.toContain(
    "Agent",
  );
  const edited = { ...helper, tools: ["Read"] };
  expect(resolvePolicy(edited, {}, context).tools.tools).toEqual(["Read"]);
  expect(resolvePolicy(helper, {}, context)).toEqual(first);
});

test("where the memory of an agent lies is looked up each time", () => {
  const here = surroundings();
  const { cwd } = here.environment;
  const noted: AgentDefinition = { ...helper, memory: "project" };
  const context = {
    origin: { meets, parentId, byModel: true, depth: 1 },
    background: false,
    surroundings: here,
  };
  const before = join(cwd, ".claude", "agent-memory", "helper");
  expect(resolvePolicy(noted, {}, context).policy.memory?.directory).toBe(before);
  mkdirSync(join(cwd, "notes"));
  mkdirSync(join(cwd, ".claude"));
  symlinkSync(join(cwd, "notes"), join(cwd, ".claude", "agent-memory"));
  expect(resolvePolicy(noted, {}, context).policy.memory).toBeNull();
});
