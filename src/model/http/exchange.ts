import { StringDecoder } from "node:string_decoder";
import type { AnswerHead } from "./answer-parser.ts";

/** Hears the text of an answer; `end` or `fail` is the last, and comes once. */
export interface BodyReader {
  data: (text: string) => void;
  end: () => void;
  fail: (error: Error) => void;
}

/** One request, and its answer as it arrives. Whoever carries it tells it what comes; whoever asked reads. */
export class Exchange {
  /** Rejects when there is no answer. */
  readonly answered: Promise<AnswerHead>;
  #answer: { resolve: (head: AnswerHead) => void; reject: (error: Error) => void } | null = null;
  #hangUp: (() => void) | null = null;
  readonly #decoder = new StringDecoder("utf8");
  #reader: BodyReader | null = null;
  /** What came before somebody read. */
  readonly #early: string[] = [];
  #end: { readonly error: Error | null } | null = null;
  readonly #signal: AbortSignal | null;

  /** The signal breaks it off at any time. */
  constructor(signal: AbortSignal | null) {
    this.answered = new Promise((resolve, reject) => (this.#answer = { resolve, reject }));
    this.#signal = signal;
    if (signal?.aborted === true) this.#abort();
    else signal?.addEventListener("abort", this.#abort);
  }

  /** Nothing more will be told. */
  get isOver(): boolean {
    return this.#end !== null;
  }

  /** `hangUp` closes the connection that carries it. */
  carriedBy(hangUp: () => void): void {
    this.#hangUp = hangUp;
  }

  takeHead(head: AnswerHead): void {
    this.#answer?.resolve(head);
    this.#answer = null;
  }

  takeData(bytes: Buffer): void {
    this.#tell(this.#decoder.write(bytes));
  }

  takeEnd(): void {
    this.#tell(this.#decoder.end());
    this.#stop(null);
  }

  /** Nothing more comes. */
  fail(error: Error): void {
    this.#stop(error);
    this.#answer?.reject(new TypeError("fetch failed", { cause: error }));
    this.#answer = null;
  }

  /** Once: what came before is told at once. */
  read(reader: BodyReader): void {
    if (this.#reader !== null) throw new TypeError("The body of an answer can be read only once.");
    this.#reader = reader;
    for (const text of this.#early.splice(0)) reader.data(text);
    if (this.#end?.error) reader.fail(this.#end.error);
    else if (this.#end !== null) reader.end();
  }

  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      let text = "";
      this.read({ data: (piece) => (text += piece), end: () => resolve(text), fail: reject });
    });
  }

  /** Lets the rest arrive for nobody, so that the connection can serve the next request, but for a second at most. */
  finish(): void {
    if (this.#end !== null) return;
    const late = setTimeout(() => this.destroy(), 1000);
    const stop = (): void => clearTimeout(late);
    this.#reader = { data: () => undefined, end: stop, fail: stop };
  }

  /** Breaks off: the connection is closed. */
  destroy(error = new Error("the connection was closed")): void {
    const hangUp = this.#hangUp;
    this.fail(error);
    hangUp?.();
  }

  readonly #abort = (): void => {
    const reason: unknown = this.#signal?.reason;
    this.destroy(reason instanceof Error ? reason : new Error(`aborted: ${String(reason)}`));
  };

  #tell(text: string): void {
    if (text === "" || this.#end !== null) return;
    if (this.#reader === null) this.#early.push(text);
    else this.#reader.data(text);
  }

  #stop(error: Error | null): void {
    if (this.#end !== null) return;
    this.#end = { error };
    this.#hangUp = null;
    this.#signal?.removeEventListener("abort", this.#abort);
    if (error === null) this.#reader?.end();
    else this.#reader?.fail(error);
  }
}
