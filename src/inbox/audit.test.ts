import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Logger } from "../platform/logger.ts";
import { AuditLog, readAudit } from "./audit.ts";
import { call, setDesk } from "./inbox-fixture.ts";
import type { InboxRequest } from "./request.ts";

const request: InboxRequest = {
  ...call({
    toolUseId: "toolu_1",
    input: { command: "curl -H 'token: s3cret' example.org", timeout: 9 },
  }),
  id: "q00000000",
  sessionId: "s",
  createdAt: 0,
  deadline: null,
  onDeadline: "deny",
};
const silent: Logger = { info: () => undefined, warn: () => undefined, child: () => silent };

test("each fact is one line that says who, what and for how long", () => {
  const path = join(setDesk().root, "s", "audit.jsonl");
  const log = new AuditLog({ path, logger: silent, now: () => 0 });
  log.asked(request);
  const rules = ["Bash(curl *)"];
  log.answered(request, { answer: { verdict: "allow", scope: "agent", rules }, by: "ada" });
  log.withdrawn(request);
  log.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, "utf8");
  expect(text.trim().split("\n")).toHaveLength(3);
  expect(readAudit(path)[1]).toEqual({
    at: "1970-01-01T00:00:00.000Z",
    fact: "answered",
    id: "q00000000",
    agentId: "a1",
    agentType: "worker",
    label: ["main", "worker"],
    toolUseId: "toolu_1",
    tool: "Bash",
    input: request.input,
    inputHash: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
    by: "ada",
    verdict: "allow",
    scope: "agent",
    rules,
  });
});

const redactor = {
  text: (text: string) => text.replaceAll("s3cret", "***"),
  deep: <Value>(value: Value) =>
    JSON.parse(JSON.stringify(value).replaceAll("s3cret", "***")) as Value,
};

test("inputs, labels, rules and messages are written without their secrets", () => {
  const path = join(setDesk().root, "audit.jsonl");
  const log = new AuditLog({ path, logger: silent, now: () => 0, redactor });
  const named = { ...request, label: ["main", "holds s3cret"] };
  log.asked(named);
  const rules = ["Bash(echo s3cret)"];
  log.answered(named, { answer: { verdict: "allow", scope: "agent", rules }, by: "ada" });
  log.answered(named, { answer: { verdict: "deny", message: "no s3cret" }, by: "ada" });
  const input = { command: "echo s3cret" };
  log.answered(named, { answer: { verdict: "allow", scope: "once", input }, by: "ada" });
  log.close();
  expect(readFileSync(path, "utf8")).not.toContain("s3cret");
  expect(readAudit(path)[1]).toMatchObject({
    label: ["main", "holds ***"],
    rules: ["Bash(echo ***)"],
    input: { command: "curl -H 'token: ***' example.org", timeout: 9 },
  });
  expect(readAudit(path)[3]).toMatchObject({ changedInput: { command: "echo ***" } });
});

test("of an input that is very long the beginning is written, and how much is missing", () => {
  const path = join(setDesk().root, "audit.jsonl");
  const log = new AuditLog({ path, logger: silent, now: () => 0, redactor });
  // The cut goes through the secret.
  const content = `${"x".repeat(16_384 - '{"content":"'.length - 3)}s3cret${"y".repeat(100_000)}`;
  log.asked({ ...request, tool: "Write", input: { content } });
  const nested: Record<string, unknown> = {};
  let inner = nested;
  for (let depth = 0; depth < 20_000; depth += 1) inner = inner["a"] = {};
  log.asked({ ...request, input: nested });
  log.close();
  const [long, deep] = readAudit(path);
  expect(long?.input).toMatch(/^\{"content":"x+\*\*\*… \(100002 more characters\)$/);
  expect(deep?.input).toBe("(nested too deep to be written down)");
});

test("a process that was kept from speaking as the user is in the log, and is no request", () => {
  const path = join(setDesk().root, "audit.jsonl");
  const log = new AuditLog({ path, logger: silent, now: () => 0 });
  log.refused("send", { pid: 7, agents: ["a1"], reason: "it works for agent a1" });
  log.close();
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({
    at: "1970-01-01T00:00:00.000Z",
    fact: "refused",
    method: "send",
    pid: 7,
    agents: ["a1"],
    reason: "it works for agent a1",
  });
  expect(readAudit(path)).toEqual([]);
});

test("it is only appended to, and lines of others are passed over", () => {
  const path = join(setDesk().root, "audit.jsonl");
  writeFileSync(path, 'not a fact\n{"fact": "asked"}\n');
  const log = new AuditLog({ path, logger: silent, now: () => 0 });
  log.asked(request);
  log.close();
  expect(readFileSync(path, "utf8")).toMatch(/^not a fact\n/);
  expect(readAudit(path).map(({ id }) => id)).toEqual(["q00000000"]);
});

test("a log that cannot be written is a warning, not a failure of the agent", () => {
  const path = join(setDesk().root, "audit.jsonl");
  mkdirSync(path);
  const warnings: string[] = [];
  const logger: Logger = { ...silent, warn: (_, message) => void warnings.push(message) };
  new AuditLog({ path, logger, now: () => 0 }).asked(request);
  expect(warnings).toEqual([expect.stringContaining("cannot be written") as string]);
});
