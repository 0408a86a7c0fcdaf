import { errorMessage } from "../../contract/errors.ts";
import type { AgentEventBody } from "../../events/event.ts";
import { CacheSafe } from "../../loop/cache-safe.ts";
import { readAnswer } from "../../loop/read-answer.ts";
import { textOf, userMessage } from "../../contract/message.ts";
import type { MeteredModel } from "../../model/metered.ts";
import type { ModelRequest } from "../../model/model.ts";
import type { Session } from "../session.ts";
import { part, type Contribution, type Opened, type StartedRun } from "./opening.ts";

const question = "In one short line: what are you doing right now? No tools.";
const longest = 200;

/**
 * Summarises from time to time the work of a background agent, in one line. The model gets the agent's last request and
 * one more line, so nearly all of it is read from the provider's cache. The agent never learns of it: whatever the
 * answer is, no tool runs and nothing of it enters the conversation. One request at a time, without retries; a failure
 * only means a missing line. Does nothing unless the settings ask for it.
 */
export function openSummaries(run: StartedRun, opened: Opened): Contribution {
  const { session, isBackground, emit, abort, cleanup } = run;
  const every = session.settings.background.summaries?.everySeconds;
  if (every === undefined) return undefined;
  const model = part(opened, "model");
  const options = { session, model, isBackground, emit, signal: abort.signal };
  const summaries = cleanup.use(new Summaries(options, every * 1000));
  return { cacheSafe: summaries.cacheSafe };
}

class Summaries implements AsyncDisposable {
  /** Receives the agent's requests. */
  readonly cacheSafe = new CacheSafe();
  readonly #options: SummariesOptions;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #everyMs: number;
  #cancel: () => void;
  #asked: ModelRequest | undefined;
  #asking: Promise<void> | undefined;

  constructor(options: SummariesOptions, everyMs: number) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#over.signal]);
    this.#everyMs = everyMs;
    this.#cancel = this.#next();
  }

  /** Resolves when no request is under way; the usage of the last one was emitted by then. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel();
    this.#over.abort(new Error("The agent has ended."));
    await this.#asking;
  }

  #next(): () => void {
    const ask = (): void => {
      this.#cancel = this.#next();
      this.#ask();
    };
    return this.#options.session.clock.schedule(ask, this.#everyMs, { ref: false });
  }

  #ask(): void {
    const request = this.cacheSafe.last;
    // An agent that has sent nothing since would get the same question again.
    if (request === undefined || request === this.#asked || this.#asking !== undefined) return;
    if (this.#signal.aborted || !this.#options.isBackground()) return;
    this.#asked = request;
    this.#asking = this.#summarize(request).finally(() => (this.#asking = undefined));
  }

  async #summarize(request: ModelRequest): Promise<void> {
    const { session, model, emit } = this.#options;
    const { limits, logger, clock } = session;
    const asked: ModelRequest = {
      ...request,
      messages: [...request.messages, userMessage({ texts: [question] })],
      origin: { ...request.origin, attempt: 1, purpose: "summary" },
    };
    try {
      const answer = await readAnswer(
        { limits, clock, signal: this.#signal, grows: () => undefined },
        (signal) => model.stream(asked, signal),
        () => undefined,
      );
      const text = lineOf(textOf(answer.message.content));
      if (text !== "") emit({ type: "summary", text });
    } catch (error) {
      if (this.#signal.aborted) return;
      const { agentId } = request.origin;
      logger.info({ agentId, error: errorMessage(error) }, "an agent could not be summarised");
    }
  }
}

interface SummariesOptions {
  readonly session: Pick<Session, "limits" | "settings" | "logger" | "clock">;
  readonly model: MeteredModel;
  readonly isBackground: () => boolean;
  readonly emit: (body: AgentEventBody) => void;
  /** Signal of the agent's run. */
  readonly signal: AbortSignal;
}

function lineOf(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= longest ? line : `${line.slice(0, longest - 1).toWellFormed()}…`;
}
