import { expect, test } from "vitest";
import type { AgentOnDisk } from "../transcript/meta.ts";
import { agentFilter } from "./filter-agents.ts";

const agent = {
  state: "running",
  meta: {
    agentType: "Explore",
    retinue: { name: null, sessionId: "0a1b2c", parentId: "a99", model: "m", cwd: "/w" },
  },
} as AgentOnDisk;

test.each<[string[], boolean]>([
  [[], true],
  [["state=running"], true],
  [["state=failed"], false],
  [["state=failed", "state=running"], true],
  [["state=running", "type=Plan"], false],
  [["session=0a1"], true],
  [["session=1b"], false],
  [["parent=a9", "type=Explore"], true],
  [["name="], true],
  [["parent="], false],
  [["cwd=/w", "model=m"], true],
])("filters %j let it pass: %j", (filters, passes) => {
  expect(agentFilter(filters)(agent)).toBe(passes);
});

test.each(["running", "=x", "constructor=x", "colour=red", ""])(
  "'%s' is no filter, and the error lists the keys",
  (filter) => {
    expect(() => agentFilter([filter])).toThrow(/write key=value, with one of state, type, name/);
  },
);

test.each(["state=bogus", "state=Running", "state="])(
  "'%s' names no state, and the error lists those that there are",
  (filter) => {
    expect(() => agentFilter([filter])).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringMatching(/an agent is queued, running, .*, interrupted\.$/) as string,
      }),
    );
  },
);
