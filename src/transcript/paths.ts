import { createHash } from "node:crypto";
import { join } from "node:path";
import type { AgentId, SessionId } from "../contract/ids.ts";
import { userHome } from "../platform/files/user-home.ts";

/** All paths of one session, in the layout that other readers of transcripts know. */
export interface SessionPaths {
  /** `<config>/projects/<project>` */
  readonly projectDir: string;
  /** Everything of the session but the main transcript. */
  readonly sessionDir: string;
  readonly mainTranscript: string;
  readonly mainMeta: string;
  /** Long results; every agent of the session may read them. */
  readonly resultsDir: string;
  /** Output of tasks in the background; every agent of the session may read it. */
  readonly tasksDir: string;
  /** Open questions. */
  readonly inboxDir: string;
  /** Requests and their answers. */
  readonly auditLog: string;
  /** The lease, which names the owner of the session. */
  readonly lease: string;
  /** Output of a detached run. */
  readonly runLog: string;
  /** Transcripts of all agents but the main one, with their meta files. */
  readonly agentsDir: string;
  transcript(id: AgentId): string;
  meta(id: AgentId): string;
  /** The empty file that says that an agent has ended. */
  endMark(id: AgentId): string;
  taskOutput(id: string): string;
  /** Messages to an agent. */
  mail(id: AgentId): string;
}

export function sessionPaths(projectDir: string, sessionId: SessionId): SessionPaths {
  const sessionDir = join(projectDir, sessionId);
  const agentsDir = join(sessionDir, "subagents");
  return {
    projectDir,
    sessionDir,
    mainTranscript: join(projectDir, `${sessionId}.jsonl`),
    mainMeta: join(sessionDir, "main.meta.json"),
    resultsDir: join(sessionDir, "tool-results"),
    tasksDir: join(sessionDir, "tasks"),
    taskOutput: (id) => join(sessionDir, "tasks", `${id}.output`),
    inboxDir: join(sessionDir, "inbox"),
    auditLog: join(sessionDir, "audit.jsonl"),
    mail: (id) => join(sessionDir, "mail", `${id}.jsonl`),
    lease: join(sessionDir, "lease.json"),
    runLog: join(sessionDir, "run.log"),
    agentsDir,
    transcript: (id) => `${agentsDir}/agent-${id}.jsonl`,
    meta: (id) => `${agentsDir}/agent-${id}.meta.json`,
    endMark: (id) => `${sessionDir}/ended/${id}`,
  };
}

/** The user directory: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function defaultConfigDir(env: NodeJS.ProcessEnv = process.env): string {
  return env["CLAUDE_CONFIG_DIR"] || join(userHome(), ".claude");
}

export function projectDirectory(configDir: string, cwd: string): string {
  return join(configDir, "projects", projectSlug(cwd));
}

/** The path with `-` for every character that is not a letter or digit; a very long path is cut and gets a hash. */
export function projectSlug(cwd: string): string {
  const slug = cwd.replaceAll(/[^A-Za-z0-9]/g, "-");
  if (slug.length <= 200) return slug;
  return `${slug.slice(0, 200)}-${createHash("sha256").update(cwd).digest("hex").slice(0, 8)}`;
}
