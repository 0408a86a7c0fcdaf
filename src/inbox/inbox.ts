import { errorMessage, RetinueError } from "../contract/errors.ts";
import { fitAnswer } from "./fit-answer.ts";
import type { AskInput, InboxEvent, InboxOptions } from "./inbox-options.ts";
import { OpenRequest } from "./open-request.ts";
import { late, nobody, notStored } from "./own-answers.ts";
import { reaches, refuseIdleRules } from "./reach.ts";
import { RecentGrants } from "./recent-grants.ts";
import { RequestFiles } from "./request-files.ts";
import { newRequestId } from "./request.ts";
import type { AllowAnswer, Answer, Answered, InboxRequest } from "./request.ts";
import { runChecks } from "./run-checks.ts";
import { Settlements, settledBefore } from "./settlements.ts";
import type { RefusedSpeaker } from "../processes/speaker.ts";

/**
 * One queue for the questions of all agents of a session. A question is on disk before any reader is notified and is
 * settled exactly once: answered, expired or withdrawn. Grants of an answer are stored before the asker continues.
 */
export class Inbox implements AsyncDisposable {
  readonly #options: InboxOptions;
  readonly #files: RequestFiles;
  readonly #open = new Map<string, OpenRequest>();
  readonly #settlements = new Settlements();
  readonly #listeners = new Set<(event: InboxEvent) => void>();
  readonly #recent = new RecentGrants();
  #onOpen: () => void = () => undefined;
  #asked = 0;
  #closed = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#files = new RequestFiles(options.directory);
  }

  /** Whether a person can answer. */
  get attended(): boolean {
    return this.#options.attended === true || this.#listeners.size > 0;
  }

  /** Whether a person or an automated check can answer. */
  get canAnswer(): boolean {
    return this.attended || (this.#options.checks?.length ?? 0) > 0;
  }

  /** Open requests, oldest first. */
  list(): InboxRequest[] {
    return [...this.#open.values()]
      .toSorted((a, b) => a.number - b.number)
      .map(({ request }) => request);
  }

  /**
   * Asks, and waits for the answer. Automated checks come first; if no person can answer, the request is denied at
   * once. Rejects with the signal's reason when the asker gives up, and with `closed`.
   */
  async ask(input: AskInput, signal: AbortSignal): Promise<Answered> {
    this.#throwIfOver(signal);
    const request = this.#request(input);
    const number = (this.#asked += 1);
    using meanwhile = this.#recent.follow();
    const checked = await this.#check(request, signal);
    this.#throwIfOver(signal);
    if (checked !== null) return this.#direct(request, checked);
    if (!this.attended) return this.#direct(request, nobody);
    try {
      await this.#files.store(request);
    } catch (error) {
      return this.#direct(request, notStored(error));
    }
    try {
      this.#throwIfOver(signal);
    } catch (error) {
      this.#files.remove(request.id);
      throw error;
    }
    const granted = meanwhile.given.find((one) => reaches(one, request, this.#options.covers));
    // The last answerer may have left while the request was being stored.
    const settled = granted ?? (this.attended ? undefined : nobody);
    // Not awaited: from here on grants find it in the queue.
    if (settled === undefined) return this.#enqueue(request, number, signal);
    this.#files.remove(request.id);
    return this.#direct(request, settled);
  }

  /**
   * Answers an open request, by its id or id prefix, and every other one that the grant covers. Returns them, the
   * requested one first. Throws if there is no such request, if it was answered before, if the answer does not fit, and
   * if its grants cannot be stored: then it stays open.
   */
  async answer(idOrPrefix: string, given: Answer, by = "host"): Promise<InboxRequest[]> {
    const entry = this.#settlements.find(idOrPrefix, this.#open);
    const { request } = entry;
    if (entry.answering !== null) throw settledBefore(request.id, entry.answering);
    const answer = fitAnswer(request, given);
    if (answer.verdict !== "allow" || answer.scope === "once") {
      this.#settle(entry, { answer, by });
      return [request];
    }
    refuseIdleRules(request, answer, this.#options.covers);
    entry.answering = by;
    try {
      await this.#options.grants.give(request, answer);
    } catch (error) {
      entry.reopen();
      if (!this.attended && this.#open.has(request.id)) this.#settle(entry, nobody);
      throw error;
    }
    if (!this.#open.has(request.id)) throw closed();
    this.#settle(entry, { answer, by });
    return [request, ...this.#settleCovered(request, answer, by)];
  }

  /**
   * Notifies a listener of every request that is asked and settled from now on; `list` has the open ones. Returns a
   * function that ends it; when the last subscriber who could answer has gone, open requests are denied.
   */
  subscribe(listener: (event: InboxEvent) => void): () => void {
    const own = (event: InboxEvent): void => listener(event);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
      if (this.attended) return;
      for (const entry of this.#open.values())
        if (entry.answering === null) this.#settle(entry, nobody);
    };
  }

  /**
   * Calls back whenever a request opens, before any reader is notified. One listener, which does not count as one that
   * can answer.
   */
  onOpen(listener: () => void): void {
    this.#onOpen = listener;
  }

  /** Logs that a process was kept from speaking as the user, and by which method. */
  noteRefusal(method: string, refused: RefusedSpeaker): void {
    this.#options.audit.refused(method, refused);
  }

  /** Withdraws open requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const entry of this.#open.values()) this.#withdraw(entry);
    this.#options.audit.close();
  }

  #throwIfOver(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#closed) throw closed();
  }

  #request(input: AskInput): InboxRequest {
    const {
      timeoutMs = this.#options.timeoutMs ?? null,
      onDeadline = this.#options.onDeadline ?? "deny",
      ...rest
    } = input;
    const createdAt = this.#options.clock.now();
    return {
      ...rest,
      id: newRequestId(),
      sessionId: this.#options.sessionId,
      createdAt,
      deadline: timeoutMs === null ? null : createdAt + timeoutMs,
      // No default can know what a person would have said.
      onDeadline: rest.kind === "permission" ? onDeadline : "deny",
    };
  }

  async #check(request: InboxRequest, signal: AbortSignal): Promise<Answered | null> {
    const { checks = [], grants, logger } = this.#options;
    // Only a person ends planning.
    if (request.kind === "plan") return null;
    const answer = await runChecks(checks, request, {
      signal,
      logger,
      grant: (granting) => grants.give(request, granting),
    });
    if (answer === null) return null;
    if (answer.verdict === "allow" && answer.scope !== "once")
      this.#settleCovered(request, answer, "check");
    return { answer, by: "check" };
  }

  /** Settles a request without asking: it is logged, and no subscriber is notified. */
  #direct(request: InboxRequest, { answer, by }: Answered): Answered {
    this.#options.audit.asked(request);
    this.#options.audit.answered(request, { answer, by });
    return { answer, by };
  }

  #enqueue(request: InboxRequest, number: number, signal: AbortSignal): Promise<Answered> {
    const entry = new OpenRequest({
      request,
      number,
      signal,
      clock: this.#options.clock,
      on: {
        abort: () => this.#withdraw(entry),
        deadline: () => this.#settle(entry, late(request)),
      },
    });
    this.#open.set(request.id, entry);
    this.#options.audit.asked(request);
    this.#onOpen();
    this.#tell({ type: "asked", request, redacted: this.#options.redact?.(request) ?? request });
    return entry.answered;
  }

  #settleCovered(request: InboxRequest, answer: AllowAnswer, by: string): InboxRequest[] {
    const { input: _, ...granted } = answer;
    const { agentId, agentType, definitionHash } = request;
    const given = { to: { agentId, agentType, definitionHash }, answer: granted, by };
    this.#recent.note(given);
    const covered = [...this.#open.values()].filter(
      (entry) => entry.answering === null && reaches(given, entry.request, this.#options.covers),
    );
    for (const entry of covered) this.#settle(entry, { answer: granted, by });
    return covered.map((entry) => entry.request);
  }

  #settle(entry: OpenRequest, answered: Answered): void {
    this.#options.audit.answered(entry.request, answered);
    this.#take(entry, answered.by);
    entry.resolve(answered);
    this.#tell({ type: "settled", request: entry.request, answered });
  }

  #withdraw(entry: OpenRequest): void {
    this.#options.audit.withdrawn(entry.request);
    this.#take(entry, "its agent, which no longer waits");
    entry.reject(entry.signal.aborted ? entry.signal.reason : closed());
    this.#tell({ type: "settled", request: entry.request, answered: null });
  }

  #take({ request }: OpenRequest, by: string): void {
    this.#open.delete(request.id);
    this.#settlements.note(request.id, by);
    this.#files.remove(request.id);
  }

  #tell(event: InboxEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        const fields = { request: event.request.id };
        this.#options.logger.warn(fields, `A listener of the inbox failed: ${errorMessage(error)}`);
      }
    }
  }
}

function closed(): RetinueError {
  return new RetinueError(
    "closed",
    "The session is closed: nothing can be asked or answered in it. Open it again with a new manager.",
  );
}
