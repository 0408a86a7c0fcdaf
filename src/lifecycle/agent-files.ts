import type { AgentEvent } from "../events/event.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { TranscriptRecorder } from "../transcript/recorder.ts";
import { Memory } from "./memory.ts";
import { MetaKeeper } from "./keep-meta.ts";
import type { Session } from "./session.ts";

/** What one agent has on disk: its transcript and the small file beside it. */
export class AgentFiles {
  readonly recorder: TranscriptRecorder;
  /** Only of an agent that takes one task after the other. */
  readonly memory: Memory | undefined;
  readonly #meta: MetaKeeper;

  constructor(agent: ResolvedAgent, session: Session, standing: boolean) {
    const main = agent.relates.depth === 0;
    this.recorder = new TranscriptRecorder({
      path: main ? session.paths.mainTranscript : session.paths.transcript(agent.id),
      envelope: { ...session.envelope, isSidechain: !main, ...(main ? {} : { agentId: agent.id }) },
      agentType: main ? null : agent.type,
      permissionMode: agent.meets.permissions.mode,
    });
    this.memory = standing ? new Memory() : undefined;
    this.#meta = new MetaKeeper(agent, session, standing);
  }

  /** When it returns, everything that the event has to leave behind is on disk. Throws the file system's error. */
  store(event: AgentEvent): void {
    this.recorder.record(event);
    this.#meta.apply(event);
  }

  close(): void {
    this.recorder.close();
  }
}
