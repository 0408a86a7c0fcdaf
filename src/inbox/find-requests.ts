import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { readAudit, type AuditFact } from "./audit.ts";
import { RequestFiles } from "./request-files.ts";
import type { InboxRequest } from "./request.ts";

/** An open request of any process, read from the files. */
export interface FoundRequest {
  request: InboxRequest;
  files: RequestFiles;
  /** The process that asked. */
  pid: number;
  /** True if no process waits for the answer any more. */
  processEnded: boolean;
}

/** Every open request below a config directory, oldest first. */
export function findRequests(configDir: string): FoundRequest[] {
  return sessionDirectories(configDir)
    .flatMap((session) => {
      const files = new RequestFiles(join(session, "inbox"));
      return files.all().map((found) => ({ ...found, files }));
    })
    .toSorted((a, b) => a.request.createdAt - b.request.createdAt);
}

/** Settlements of all settled requests, oldest first. */
export function findSettled(configDir: string): AuditFact[] {
  return sessionDirectories(configDir)
    .flatMap((session) => readAudit(join(session, "audit.jsonl")))
    .filter(({ fact }) => fact !== "asked")
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** The settlement of this request; absent while it is open, or where the log does not have it or is unreadable. */
export function settlementOf({ files, request }: FoundRequest): AuditFact | undefined {
  return readAudit(auditLogOf(files)).findLast(
    ({ id, fact }) => id === request.id && fact !== "asked",
  );
}

export function auditLogOf({ directory }: RequestFiles): string {
  return join(dirname(directory), "audit.jsonl");
}

function sessionDirectories(configDir: string): string[] {
  const projects = join(configDir, "projects");
  return directoriesIn(projects).flatMap((project) => directoriesIn(project));
}

function directoriesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}
