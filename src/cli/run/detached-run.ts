import { closeSync, renameSync, writeSync } from "node:fs";
import type { AgentRow } from "../../session/agent-row.ts";
import { errorMessage } from "../../contract/errors.ts";
import type { Manager } from "../../manager.ts";
import { sessionPaths } from "../../transcript/paths.ts";

/** The report of a detached run to the command that started it, once it is under way. */
export interface StartReport {
  id: string;
  sessionId: string;
  pid: number;
  transcript: string;
  log: string;
}

/** The report of a detached run that failed to start. Its log may be the file that cannot be written. */
export interface FailureReport {
  error: string;
}

/** The descriptor that `run -d` opens for the report. Closed after the first report, because its number is reused. */
const reportDescriptor = 3;
let hasReported = false;

/**
 * Reports, once, that the run is under way, and moves its log to the session's files. A run whose files cannot be
 * written is a failure: it could not be followed. The starting process may be gone; that does no harm.
 */
export async function reportStart(main: AgentRow, log: string, manager: Manager): Promise<void> {
  const { error } = await manager.output(main.id);
  if (error?.code === "storage") return tell({ error: error.message });
  const paths = sessionPaths(manager.transcripts.projectDir, manager.sessionId);
  const report: StartReport = {
    id: main.id,
    sessionId: manager.sessionId,
    pid: process.pid,
    // A copy of the main agent, or a child that is resumed, has a file of its own.
    transcript: main.depth === 0 ? paths.mainTranscript : paths.transcript(main.id),
    log: adopted(log, paths.runLog),
  };
  tell(report);
}

/** Reports why the run failed to start. Does nothing after a start. */
export function reportFailure(error: unknown): void {
  tell({ error: errorMessage(error) });
}

function tell(report: StartReport | FailureReport): void {
  if (hasReported) return;
  hasReported = true;
  try {
    writeSync(reportDescriptor, `${JSON.stringify(report)}\n`);
    closeSync(reportDescriptor);
  } catch {
    // The report has no reader.
  }
}

function adopted(log: string, target: string): string {
  try {
    renameSync(log, target);
    return target;
  } catch {
    // The log stays where it is if the session is on another file system.
    return log;
  }
}
