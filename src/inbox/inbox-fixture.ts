import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { isObject } from "../platform/is-object.ts";
import { parseJsonl } from "../transcript/lines/jsonl.ts";
import { systemClock } from "../platform/clock.ts";
import type { Logger } from "../platform/logger.ts";
import { AuditLog, readAudit, type AuditFact } from "./audit.ts";
import { Grants } from "./grants.ts";
import type { AskInput, InboxEvent, InboxOptions } from "./inbox-options.ts";
import { Inbox } from "./inbox.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

export interface Desk {
  inbox: Inbox;
  grants: Grants;
  root: string;
  cwd: string;
  configDir: string;
  /** The directory of open requests. */
  directory: string;
  /** Events that a subscriber received; only after `listen`. */
  events: InboxEvent[];
  listen: () => () => void;
  warnings: string[];
  audit: () => AuditFact[];
  /** Speakers that were refused. */
  refusals: () => unknown[];
}

/** An inbox in a fresh directory. `time`: a clock that stands still. */
export function setDesk(options: Partial<InboxOptions> = {}): Desk {
  const root = temporaryDirectory();
  const [cwd, configDir] = [join(root, "work"), join(root, "config")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const directory = join(root, "session", "inbox");
  const auditPath = join(root, "session", "audit.jsonl");
  const warnings: string[] = [];
  const logger: Logger = {
    info: () => undefined,
    warn: (_, message) => void warnings.push(message),
    child: () => logger,
  };
  const now = (): number => systemClock.now();
  const grants = new Grants({ cwd, configDir, now });
  const inbox = new Inbox({
    sessionId: "s",
    directory,
    audit: new AuditLog({ path: auditPath, logger, now }),
    grants,
    clock: systemClock,
    logger,
    ...options,
  });
  onTestFinished(() => inbox[Symbol.asyncDispose]());
  const events: InboxEvent[] = [];
  return {
    ...{ inbox, grants, root, cwd, configDir, directory, events, warnings },
    listen: () => inbox.subscribe((event) => void events.push(event)),
    audit: () => readAudit(auditPath),
    refusals: () =>
      parseJsonl(readFileSync(auditPath, "utf8")).filter(
        (line) => isObject(line) && line["fact"] === "refused",
      ),
  };
}

export function call(fields: Partial<AskInput> = {}): AskInput {
  return {
    kind: "permission",
    agentId: "a1",
    agentType: "worker",
    agentName: null,
    label: ["main", "worker"],
    definitionHash: "hash-1",
    tool: "Bash",
    input: { command: "make all" },
    reason: "No rule allows it.",
    part: null,
    suggestions: ["Bash(make all)"],
    ...fields,
  };
}

export const question: Partial<AskInput> = {
  kind: "question",
  tool: "AskUserQuestion",
  input: { questions: [{ question: "Which one?", header: "One", options: [] }] },
  suggestions: [],
};

export const never: AbortSignal = new AbortController().signal;
