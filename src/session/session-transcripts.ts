import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RetinueError } from "../contract/errors.ts";
import type { AgentState } from "../events/agent-record.ts";
import { parseAgentId, type AgentId } from "../contract/ids.ts";
import type { Registry } from "../lifecycle/registry.ts";
import type { Session } from "../lifecycle/session.ts";
import type { Message } from "../contract/message.ts";
import { Gate } from "../platform/gate.ts";
import { unlessGone } from "../platform/files/remove-tree.ts";
import { appendNotice } from "../transcript/append-notice.ts";
import { isOpen, readAgent, type AgentOnDisk } from "../transcript/agent-on-disk.ts";
import { conversationOf, readTranscript, type TranscriptEntry } from "../transcript/reader.ts";

/** The transcript of one agent and its path. */
export interface TranscriptRow {
  agentId: AgentId;
  name: string | null;
  type: string;
  /** `interrupted`: the process is gone, and the end is not recorded. */
  state: AgentState;
  /** Path of the JSON lines; the file does not exist before the agent's first message. */
  path: string;
}

export interface LoadedTranscript extends TranscriptRow {
  /** Entries line by line, in file order. */
  entries: TranscriptEntry[];
  /** The conversation as sent, with secrets redacted. */
  messages: Message[];
}

/**
 * Transcripts of one session on disk, also of agents that this process has never seen. An id without one throws
 * `unknown_task`.
 */
export class SessionTranscripts {
  /** `<config>/projects/<project>` */
  readonly projectDir: string;
  /** Directory of the other files: children, results, questions. */
  readonly sessionDir: string;
  /** The transcript of the main agent. */
  readonly main: string;
  readonly #session: Session;
  readonly #registry: Registry;
  readonly #changes = new Gate(1);

  constructor(session: Session, registry: Registry) {
    this.projectDir = session.paths.projectDir;
    this.sessionDir = session.paths.sessionDir;
    this.main = session.paths.mainTranscript;
    this.#session = session;
    this.#registry = registry;
  }

  /** Every agent of the session, the oldest first. */
  async list(): Promise<TranscriptRow[]> {
    const { mainMeta } = this.#session.paths;
    const children = join(dirname(mainMeta), "subagents");
    const names = (await unlessGone(() => readdir(children))) ?? [];
    const files = names.filter((name) => name.endsWith(".meta.json"));
    const found: AgentOnDisk[] = [];
    for (const file of [mainMeta, ...files.map((name) => join(children, name))]) {
      const agent = await readAgent(file);
      if (agent !== undefined) found.push(agent);
    }
    return found.toSorted((a, b) => a.record.startedAt - b.record.startedAt).map(rowOf);
  }

  async load(id: string): Promise<LoadedTranscript> {
    const agent = await this.#find(id);
    const entries = await readTranscript(agent.transcript);
    return { ...rowOf(agent), entries, messages: conversationOf(entries) };
  }

  /**
   * Adds a note of the host to the transcript of an ended agent: readers see an attachment of type `notice`, and the
   * agent reads it when it is resumed. Throws `agent_busy` for an agent that has not ended.
   */
  append(id: string, text: string): Promise<void> {
    if (text.trim() === "")
      throw new RetinueError("invalid_request", "append() needs a text. Pass the text to store.");
    return this.#changes.run(async () => {
      const agent = await this.#find(id);
      const { paths, envelope, redactor, clock, disk } = this.#session;
      const isMain = agent.file === paths.mainMeta;
      await appendNotice({
        path: agent.transcript,
        envelope: {
          ...envelope,
          isSidechain: !isMain,
          ...(isMain ? {} : { agentId: agent.record.id }),
        },
        text: redactor.text(text),
        at: clock.now(),
        check: () => this.#refuseBusy(agent),
      });
      await disk?.sync(agent.transcript);
    });
  }

  /**
   * Deletes the files of an ended agent: transcript, long results, outputs and meta file. The main agent's only while
   * no other agent of the session runs. Throws `agent_busy` for an agent that has not ended.
   */
  delete(id: string): Promise<void> {
    return this.#changes.run(async () => {
      const agent = await this.#find(id);
      this.#refuseBusy(agent);
      const { removeAgent } = await import("../transcript/remove-agent.ts");
      await removeAgent(agent, { sessionIsOpen: true });
      await this.#session.disk?.syncNames(dirname(agent.file));
      this.#registry.forget(agent.record.id);
    });
  }

  async #find(id: string): Promise<AgentOnDisk> {
    const { paths } = this.#session;
    const agentId = parseAgentId(id);
    if (agentId !== undefined) {
      const main = await readAgent(paths.mainMeta);
      if (main?.record.id === id) return main;
      const child = await readAgent(paths.meta(agentId));
      if (child !== undefined) return child;
    }
    throw new RetinueError("unknown_task", `unknown task_id: ${id}`);
  }

  #refuseBusy({ record }: AgentOnDisk): void {
    const { id, state } = record;
    const running = this.#registry.get(id);
    const isBusy = running === undefined ? isOpen(state) : !running.hasEnded;
    if (!isBusy) return;
    throw new RetinueError(
      "agent_busy",
      `Agent ${id} is ${running?.state ?? state}. Stop it first: stop('${id}').`,
    );
  }
}

function rowOf({ record, transcript }: AgentOnDisk): TranscriptRow {
  const { id, name, type, state } = record;
  return { agentId: id, name, type, state, path: transcript };
}
