import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Logger } from "../platform/logger.ts";
import { AuditLog, readAudit } from "./audit.ts";
import { call, setDesk } from "./inbox-fixture.ts";
import type { InboxRequest } from "./request.ts";

const request: InboxRequest = {
  ...call({ input: { command: "curl -H 'token: s3cret' example.org" } }),
  id: "q00000000",
  sessionId: "s",
  createdAt: 0,
  deadline: null,
  onDeadline: "deny",
};
const silent: Logger = { info: () => undefined, warn: () => undefined, child: () => silent };

test("each fact is one line that says who, what and for how long, and never the input", () => {
  const path = join(setDesk().root, "s", "audit.jsonl");
  const log = new AuditLog({ path, logger: silent, now: () => 0 });
  log.asked(request);
  const rules = ["Bash(curl *)"];
  log.answered(request, { answer: { verdict: "allow", scope: "agent", rules }, by: "ada" });
  log.withdrawn(request);
  log.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, "utf8");
  expect(text).not.toContain("s3cret");
  expect(text.trim().split("\n")).toHaveLength(3);
  expect(readAudit(path)[1]).toEqual({
    at: "1970-01-01T00:00:00.000Z",
    fact: "answered",
    id: "q00000000",
    agentId: "a1",
    agentType: "worker",
    label: ["main", "worker"],
    tool: "Bash",
    inputHash: expect.stringMatching(/^[0-9a-f]{12}$/) as string,
    by: "ada",
    verdict: "allow",
    scope: "agent",
    rules,
  });
});

test("labels, rules and messages are written without their secrets", () => {
  const path = join(setDesk().root, "audit.jsonl");
  const redact = (text: string): string => text.replaceAll("s3cret", "***");
  const log = new AuditLog({ path, logger: silent, now: () => 0, redact });
  const named = { ...request, label: ["main", "holds s3cret"] };
  log.asked(named);
  const rules = ["Bash(echo s3cret)"];
  log.answered(named, { answer: { verdict: "allow", scope: "agent", rules }, by: "ada" });
  log.answered(named, { answer: { verdict: "deny", message: "no s3cret" }, by: "ada" });
  log.close();
  expect(readFileSync(path, "utf8")).not.toContain("s3cret");
  expect(readAudit(path)[1]).toMatchObject({
    label: ["main", "holds ***"],
    rules: ["Bash(echo ***)"],
  });
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
