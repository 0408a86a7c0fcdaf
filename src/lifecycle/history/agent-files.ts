import type { AgentId } from "../../contract/ids.ts";
import type { AgentRecord } from "../../events/agent-record.ts";
import type { AgentEvent, AgentEventBody, EventHeader } from "../../events/event.ts";
import type { PowerJournal } from "../../transcript/power/power-journal.ts";
import type { Repair } from "../../transcript/lines/repair-lines.ts";
import type { ResolvedAgent } from "../../contract/resolved-agent.ts";
import type { Redactor } from "../../redact/redactor.ts";
import type { RunRecord } from "../../transcript/entry.ts";
import { TranscriptRecorder } from "../../transcript/recorder.ts";
import { Memory } from "../memory.ts";
import { OutputFile } from "./output-file.ts";
import { MetaKeeper, type MetaChange } from "./keep-meta.ts";
import type { Session } from "../session.ts";
import { storedAgent } from "./stored-agent.ts";
import { unstoredEnd } from "./unstored.ts";

/** The files of an agent that were there before this process opened them. */
export interface EarlierFiles {
  /** The length of the file beside the transcript. */
  readonly metaLength: number;
  /** The last line of its conversation. */
  readonly lastUuid: string | null;
}

/** What one agent has on disk: its transcript and the small file beside it. */
export class AgentFiles {
  readonly recorder: TranscriptRecorder;
  /** Only of an agent that takes one task after the other. */
  readonly memory: Memory | undefined;
  readonly #meta: MetaKeeper;
  readonly #redactor: Redactor;
  readonly #header: Omit<EventHeader, "at">;
  #lastUuid: string | null;
  readonly #paths: Session["paths"];
  /** While nobody waits for it. */
  #output: OutputFile | undefined;
  readonly #power: PowerJournal | undefined;
  /** The transcript does not say how the run ended. */
  #isUnrecorded = false;

  constructor(
    agent: ResolvedAgent,
    session: Session,
    { record, earlier }: { record: AgentRecord; earlier?: EarlierFiles | undefined },
  ) {
    const main = agent.relates.depth === 0;
    const { power, logger } = session;
    this.#power = power;
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
      observer: {
        repaired: (repair) => logger.warn(...repairWarning(repair)),
        ...(power && { appended: (path, at, bytes) => power.note(path, at, bytes) }),
      },
    });
    this.memory = record.standing ? new Memory() : undefined;
    this.#lastUuid = earlier?.lastUuid ?? null;
    const metaPath = main ? session.paths.mainMeta : session.paths.meta(agent.id);
    this.#meta = new MetaKeeper(metaPath, record, earlier?.metaLength ?? 0);
    this.#redactor = session.redactor;
    this.#header = { agentId: agent.id, sessionId: session.id };
    this.#paths = session.paths;
  }

  /** Whether they tell what the agent was and how it ended. */
  get tellEnd(): boolean {
    return this.#meta.tellsEnd && !this.#isUnrecorded;
  }

  /** A run begins: what is needed to go on with it in another process is on disk with its first event. */
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

  /** An end that its transcript tells and the file beside it does not, because a process was killed in between. */
  settle(record: AgentRecord): void {
    this.#meta.settle(record);
  }

  /** Puts what another agent has been through at the beginning of its transcript. */
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
   * When it returns, everything that the event has to leave behind is on disk; where that is to survive a power cut,
   * when the promise resolves. Throws, or rejects with, the file system's error.
   */
  store(event: AgentEvent): Promise<void> | undefined {
    const stored = this.#write(event);
    return stored && this.#power?.commit(stored.rest);
  }

  /**
   * The same for what happens outside a run, when nobody else will close the files, and without waiting: it holds up the
   * whole process where a power cut is to be survived.
   */
  storeNow(event: AgentEvent): void {
    try {
      const stored = this.#write(event);
      if (stored !== undefined) this.#power?.commitNow(stored.rest);
    } finally {
      this.close();
    }
  }

  /**
   * Nothing, if there was nothing to write. `rest` is what follows when the journal has it: the file beside the transcript
   * must not be ahead of that.
   */
  #write(event: AgentEvent): { rest?: () => void } | undefined {
    const recorded = this.#record(event);
    if (event.type === "agent-background") this.#output = this.#newOutput();
    this.#output?.apply(event);
    const change = this.#meta.change(event);
    if (change === undefined) return recorded ? {} : undefined;
    this.#note(change);
    if (this.#power === undefined) change.write();
    return { rest: change.write };
  }

  #note({ path, meta }: MetaChange): void {
    this.#power?.note(path, null, Buffer.from(JSON.stringify(meta)));
  }

  /** That it ended is said in the file beside the transcript even when the transcript cannot be written. */
  #record(event: AgentEvent): boolean {
    try {
      return this.recorder.record(event);
    } catch (error) {
      if (event.type !== "agent-end") throw error;
      this.#isUnrecorded = true;
      const change = this.#meta.change(unstoredEnd(event, error));
      if (change !== undefined) this.#note(change);
      change?.write();
      throw error;
    }
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
  const kept = keptIn === undefined ? "" : `. What does not hold is kept in ${keptIn}`;
  return [fields, `The transcript was damaged: ${[...cut, ...lost].join("; ")}${kept}.`];
}
