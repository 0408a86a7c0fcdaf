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
const reportDescriptor = 3;

/**
 * Says, once, that the run is under way, and puts its log beside what else the session keeps. Whoever started it may be gone;
 * that harms nothing.
 */
export function reportStart(main: AgentRow, log: string, manager: Manager): void {
  const { transcripts, sessionId } = manager;
  const report: StartReport = {
    id: main.id,
    sessionId,
    pid: process.pid,
    transcript: transcripts.main,
    log: adopted(log, sessionPaths(transcripts.projectDir, sessionId).runLog),
  };
  try {
    writeSync(reportDescriptor, `${JSON.stringify(report)}\n`);
    closeSync(reportDescriptor);
  } catch {
    // Nobody reads it.
  }
}

function adopted(log: string, target: string): string {
  try {
    renameSync(log, target);
    return target;
  } catch {
    // On another file system it stays where it is.
    return log;
  }
}
