import type { AgentId } from "../../contract/ids.ts";
import type { AgentRecord } from "../../events/agent-record.ts";
import type { AgentEvent, AgentEventBody, EventHeader } from "../../events/event.ts";
import type { DiskSync } from "../../transcript/disk-sync.ts";
import type { Repair } from "../../transcript/lines/repair-lines.ts";
import type { ResolvedAgent } from "../../contract/resolved-agent.ts";
import type { Redactor } from "../../redact/redactor.ts";
import type { RunRecord } from "../../transcript/entry.ts";
import { TranscriptRecorder } from "../../transcript/recorder.ts";
import { Memory } from "../memory.ts";
import { OutputFile } from "./output-file.ts";
import { MetaKeeper } from "./keep-meta.ts";
import type { Session } from "../session.ts";
import { storedAgent } from "./stored-agent.ts";
import { unstoredEnd } from "./unstored.ts";

/** Files of an agent that existed before this process opened them. */
export interface EarlierFiles {
  /** Length of the meta file. */
  readonly metaLength: number;
  /** Uuid of the last line of the conversation. */
  readonly lastUuid: string | null;
}

/** The files of one agent: its transcript and its meta file. */
export class AgentFiles {
  readonly recorder: TranscriptRecorder;
  /** Present only for an agent that takes one task after the other. */
  readonly memory: Memory | undefined;
  readonly #meta: MetaKeeper;
  readonly #redactor: Redactor;
  readonly #header: Omit<EventHeader, "at">;
  #lastUuid: string | null;
  readonly #paths: Session["paths"];
  /** Present while the agent runs in the background. */
  #output: OutputFile | undefined;
  readonly #disk: DiskSync | undefined;
  /** Whether the transcript lacks the end of the run. */
  #isUnrecorded = false;

  constructor(
    agent: ResolvedAgent,
    session: Session,
    { record, earlier }: { record: AgentRecord; earlier?: EarlierFiles | undefined },
  ) {
    const main = agent.relates.depth === 0;
    const { disk, logger } = session;
    this.#disk = disk;
    this.recorder = new TranscriptRecorder({
      path: main ? session.paths.mainTranscript : session.paths.transcript(agent.id),
      envelope: {
        ...session.envelope,
        cwd: agent.workspace.cwd,
        ...(agent.workspace.branch === null ? {} : { gitBranch: agent.workspace.branch }),
        isSidechain: !main,
        ...(main ? {} : { agentId: agent.id }),
      },
      agentType: main ? null : agent.type,
      permissionMode: agent.meets.permissions.mode,
      onRepair: (repair) => logger.warn(...repairWarning(repair)),
    });
    this.memory = record.standing ? new Memory() : undefined;
    this.#lastUuid = earlier?.lastUuid ?? null;
    const metaPath = main ? session.paths.mainMeta : session.paths.meta(agent.id);
    const endMark = session.paths.endMark(agent.id);
    const length = earlier?.metaLength ?? 0;
    this.#meta = new MetaKeeper(metaPath, { record, length, disk, endMark });
    this.#redactor = session.redactor;
    this.#header = { agentId: agent.id, sessionId: session.id };
    this.#paths = session.paths;
  }

  /** Whether the files hold the agent's record and its end. */
  get tellEnd(): boolean {
    return this.#meta.tellsEnd && !this.#isUnrecorded;
  }

  /** Begins a run: everything that another process needs to resume it is stored with its first event. */
  begin(
    agent: ResolvedAgent,
    { prompt, permissionMode }: { prompt: string | null; permissionMode: string },
    record: AgentRecord,
  ): void {
    const run = (): RunRecord => this.#redactor.deep({ agent: storedAgent(agent), prompt });
    this.recorder.begin(run, { lastUuid: this.#lastUuid, permissionMode });
    this.#lastUuid = null;
    this.#isUnrecorded = false;
    this.#meta.begin(record);
    this.#output = agent.relates.background ? this.#newOutput() : undefined;
  }

  /** Writes an end that is in the transcript and not in the meta file, because a process was killed in between. */
  settle(record: AgentRecord): void {
    this.#meta.settle(record);
  }

  /** Copies the conversation of another agent to the beginning of the transcript. */
  copy(
    events: readonly { at: number; body: AgentEventBody }[],
    origin: { from: AgentId; turn: number | null },
  ): void {
    const header = this.#header;
    this.recorder.copy(
      events.map(({ at, body }) => ({ ...header, at, ...body })),
      origin,
    );
  }

  /**
   * Stores an event; resolves when everything about it is on disk. Its lines are written before the call returns.
   * Rejects with the file system's error.
   */
  async store(event: AgentEvent): Promise<void> {
    try {
      const isRecorded = this.recorder.record(event);
      this.#tellOutput(event);
      if (isRecorded) await this.#disk?.sync(this.recorder.path);
    } catch (error) {
      if (event.type === "agent-end") {
        this.#isUnrecorded = true;
        // The meta file records the end even if the transcript cannot be written.
        await this.#meta.apply(unstoredEnd(event, error));
      }
      throw error;
    }
    await this.#meta.apply(event);
  }

  #tellOutput(event: AgentEvent): void {
    if (event.type === "agent-background") this.#output = this.#newOutput();
    this.#output?.apply(event);
  }

  #newOutput(): OutputFile {
    return new OutputFile(this.#paths.taskOutput(this.#header.agentId));
  }

  close(): void {
    this.recorder.close();
    this.#output?.close();
  }
}

function repairWarning({ path, torn, bad, keptIn }: Repair): [Record<string, unknown>, string] {
  const fields = { file: path, torn, lines: bad.map(({ line }) => line), keptIn };
  const cut = torn > 0 ? [`an unfinished append of ${torn} bytes was cut off`] : [];
  const lost = bad.map(({ line, reason }) => `line ${line}: ${reason}`);
  const kept = keptIn === undefined ? "" : `. The bad lines are kept in ${keptIn}`;
  return [fields, `The transcript was damaged: ${[...cut, ...lost].join("; ")}${kept}.`];
}
