import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentDefinition } from "../definitions/definition.ts";
import { limitsSchema, settingsSchema } from "../settings/settings.ts";
import { newAgentId } from "../contract/ids.ts";
import { toolRegistry } from "../tools/registry.ts";
import { sessionMode } from "./permission-mode.ts";
import { resolvePolicy, type PolicySurroundings } from "./policy.ts";
import type { Inherited } from "./resolve.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

const helper: AgentDefinition = {
  name: "helper",
  description: "d",
  prompt: "p",
  source: "project",
  file: null,
};

function surroundings(): PolicySurroundings {
  const cwd = temporaryDirectory();
  return {
    settings: settingsSchema.parse({}),
    limits: limitsSchema.parse({}),
    availableTools: ["Agent", "Bash", "Edit", "Read", "Write"].flatMap(
      (name) => toolRegistry.get(name) ?? [],
    ),
    trusted: true,
    project: cwd,
    workspace: { cwd, directories: [cwd], branch: null },
    own: [],
    readable: [],
    allowsBypass: false,
    childMode: undefined,
    environment: { cwd, configDir: join(cwd, "config"), repository: undefined },
  };
}

const permissions: Inherited["permissions"] = { rules: [], confined: [], takesSessionGrants: true };
const meets: Inherited = { permissions, mode: sessionMode("default") };

function contextIn(surroundings: PolicySurroundings): Parameters<typeof resolvePolicy>[2] {
  const { workspace } = surroundings;
  const origin = { meets, parentId: newAgentId(), byModel: true, depth: 1, workspace };
  return { origin, background: false, canSearch: true, surroundings };
}

test("what is said to one agent of a type holds for no other", () => {
  const context = contextIn(surroundings());
  const { origin } = context;
  const first = resolvePolicy(helper, {}, context);

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
  const context = contextIn(here);
  const before = join(cwd, ".claude", "agent-memory", "helper");
  expect(resolvePolicy(noted, {}, context).policy.memory?.directory).toBe(before);
  mkdirSync(join(cwd, "notes"));
  mkdirSync(join(cwd, ".claude"));
  symlinkSync(join(cwd, "notes"), join(cwd, ".claude", "agent-memory"));
  expect(resolvePolicy(noted, {}, context).policy.memory).toBeNull();
});
