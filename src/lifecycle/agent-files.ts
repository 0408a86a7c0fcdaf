import type { AgentId } from "../ids.ts";
import type { AgentEvent, AgentEventBody, EventHeader } from "../events/event.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { RunRecord } from "../transcript/entry.ts";
import type { AgentMeta } from "../transcript/meta.ts";
import { TranscriptRecorder } from "../transcript/recorder.ts";
import { Memory } from "./memory.ts";
import { OutputFile } from "./output-file.ts";
import { MetaKeeper } from "./keep-meta.ts";
import type { Session } from "./session.ts";
import { storedAgent } from "./stored-agent.ts";

/** What is on disk already of an agent that comes back. */
export interface EarlierFiles {
  readonly meta: AgentMeta;
  /** How long its file is. */
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
  readonly #newOutput: () => OutputFile;
  /** While nobody waits for it. */
  #output: OutputFile | undefined;

  constructor(
    agent: ResolvedAgent,
    session: Session,
    { standing, earlier }: { standing: boolean; earlier?: EarlierFiles | undefined },
  ) {
    const main = agent.relates.depth === 0;
    this.recorder = new TranscriptRecorder({
      path: main ? session.paths.mainTranscript : session.paths.transcript(agent.id),
      envelope: { ...session.envelope, isSidechain: !main, ...(main ? {} : { agentId: agent.id }) },
      agentType: main ? null : agent.type,
      permissionMode: agent.meets.permissions.mode,
    });
    this.memory = standing ? new Memory() : undefined;
    this.#lastUuid = earlier?.lastUuid ?? null;
    this.#meta = new MetaKeeper(agent, session, { standing, earlier });
    this.#redactor = session.redactor;
    this.#header = { agentId: agent.id, sessionId: session.id };
    this.#newOutput = () => new OutputFile(session.paths.taskOutput(agent.id));
  }

  /** A run begins: what is needed to go on with it in another process is on disk with its first event. */
  begin(agent: ResolvedAgent, prompt: string | null): void {
    const run = (): RunRecord => this.#redactor.deep({ agent: storedAgent(agent), prompt });
    this.recorder.begin(run, this.#lastUuid);
    this.#lastUuid = null;
    this.#meta.begin(agent);
    this.#output = agent.relates.background ? this.#newOutput() : undefined;
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

  /** When it returns, everything that the event has to leave behind is on disk. Throws the file system's error. */
  store(event: AgentEvent): void {
    this.recorder.record(event);
    this.#meta.apply(event);
    if (event.type === "agent-background") this.#output = this.#newOutput();
    this.#output?.apply(event);
  }

  close(): void {
    this.recorder.close();
    this.#output?.close();
  }
}
