import { expect, test } from "vitest";
import type { AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import { introduce } from "../../events/agent-record.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { agentSummary } from "../../events/events-fixture.ts";
import { agentFilter } from "./filter-agents.ts";

const identity = agentSummary({
  type: "Explore",
  parentId: "a99" as AgentId,
  model: "m",
  cwd: "/w",
});
const header = { agentId: "a1" as AgentId, sessionId: "0a1b2c" as SessionId, at: 0 };
const agent: AgentOnDisk = {
  record: { ...introduce(header, identity), state: "running" },
  fileState: "running",
  runner: { pid: 1, pidStart: "1" },
  transcript: "",
  file: "",
};

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
