import type { AgentEvent } from "../events/event.ts";
import type { Message } from "../message.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import { conversationOf, readTranscript } from "../transcript/reader.ts";
import { TranscriptRecorder } from "../transcript/recorder.ts";
import { MetaKeeper } from "./keep-meta.ts";
import type { Session } from "./session.ts";

/** What one agent has on disk: its transcript and the small file beside it. */
export class AgentFiles {
  readonly recorder: TranscriptRecorder;
  readonly #meta: MetaKeeper;

  constructor(agent: ResolvedAgent, session: Session, standing: boolean) {
    const main = agent.relates.depth === 0;
    this.recorder = new TranscriptRecorder({
      path: main ? session.paths.mainTranscript : session.paths.transcript(agent.id),
      envelope: { ...session.envelope, isSidechain: !main, ...(main ? {} : { agentId: agent.id }) },
      agentType: main ? null : agent.type,
      permissionMode: agent.meets.permissions.mode,
    });
    this.#meta = new MetaKeeper(agent, session, standing);
  }

  /** When it returns, everything that the event has to leave behind is on disk. Throws the file system's error. */
  store(event: AgentEvent): void {
    this.recorder.record(event);
    this.#meta.apply(event);
  }

  /** The conversation of earlier tasks. */
  async history(): Promise<Message[]> {
    return conversationOf(await readTranscript(this.recorder.path));
  }

  close(): void {
    this.recorder.close();
  }
}
