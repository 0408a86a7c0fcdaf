import { closeSync, renameSync, writeSync } from "node:fs";
import type { AgentRow } from "../agent-row.ts";
import type { Manager } from "../manager.ts";
import { sessionPaths } from "../transcript/paths.ts";

/** What a detached run tells the command that started it, once it is under way. */
export interface StartReport {
  id: string;
  sessionId: string;
  pid: number;
  transcript: string;
  log: string;
}

/** The descriptor that `run -d` opens for the report. */
export const reportDescriptor = 3;

/** Puts the log, into which everything printed goes, beside what else the session keeps. Returns where it is. */
export function adoptLog(log: string, { transcripts, sessionId }: Manager): string {
  const { runLog } = sessionPaths(transcripts.projectDir, sessionId);
  try {
    renameSync(log, runLog);
    return runLog;
  } catch {
    // On another file system it stays where it is.
    return log;
  }
}

/** Says, once, that the run is under way. Whoever started it may be gone; that harms nothing. */
export function reportStart(
  main: AgentRow,
  log: string,
  { transcripts, sessionId }: Manager,
): void {
  const report: StartReport = {
    id: main.id,
    sessionId,
    pid: process.pid,
    transcript: transcripts.main,
    log,
  };
  try {
    writeSync(reportDescriptor, `${JSON.stringify(report)}\n`);
    closeSync(reportDescriptor);
  } catch {
    // Nobody reads it.
  }
}
