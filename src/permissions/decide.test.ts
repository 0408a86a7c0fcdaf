import { expect, test } from "vitest";
import { decide } from "./decide.ts";

const policy = {
  mode: "default",
  confined: { WebFetch: "domain:x" },
  allowedTools: ["Edit"],
  readableDirectories: ["/home/me/a", "/results"],
  memory: null,
  forbidding: [],
  ruleRoots: ["/home/me/a"],
} as const;
const at = (given: string, real = given): { given: string; real: string } => ({ given, real });

test.each([
  ["Read", [at("/home/me/a/x.ts")], true],
  ["Read", [at("/home/me/a")], true],
  ["Read", [at("/results/r.txt")], true],
  ["Read", [at("/home/me/a/..x")], true],
  ["Read", [at("/home/me/ab/x.ts")], false],
  ["Read", [at("/home/me")], false],
  ["Read", [at("/home/me/a/link", "/etc/passwd")], false],
  ["Read", [at("/elsewhere/link", "/home/me/a/x")], false],
  ["Grep", [at("/home/me/a"), at("/etc")], false],
  ["Edit", [at("/anywhere")], true],
  ["Write", [at("/anywhere")], true],
  ["NotebookEdit", [at("/anywhere")], true],
  ["Bash", [], false],
  ["constructor", [], false],
  ["WebFetch", [], false],
])("%s on %j: allowed = %s", (tool, paths, allowed) => {
  expect(decide(policy, { tool, paths }).allowed).toBe(allowed);
});

test("an agent that only plans changes nothing, whatever is allowed", () => {
  const planning = { ...policy, mode: "plan" } as const;
  for (const tool of ["Edit", "Write", "NotebookEdit"]) {
    expect(decide(planning, { tool, paths: [at("/home/me/a/x")] }).allowed).toBe(false);
  }
  expect(decide(planning, { tool: "Read", paths: [at("/home/me/a/x")] }).allowed).toBe(true);
});

test("a tool that its definition confines to a rule is not let through as a whole", () => {
  const allowed = { ...policy, allowedTools: ["WebFetch"] };
  expect(decide(allowed, { tool: "WebFetch", paths: [] })).toMatchObject({
    allowed: false,
    reason: expect.stringContaining("confines WebFetch to 'domain:x'") as string,
  });
});
