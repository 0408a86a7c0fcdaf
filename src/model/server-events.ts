import type { Exchange } from "./http/exchange.ts";

/** One server-sent event. */
export interface ServerEvent {
  /** `message` when the server names none. */
  name: string;
  data: string;
}

/**
 * The server-sent events of a body, as lists: all that came since the last time. A client library hands them out one by
 * one through several generators, which for a hundred answers that arrive at once is more work than all the rest.
 * Whoever has read enough calls `finish` or `destroy`.
 */
export class ServerEvents {
  readonly #body: Exchange;
  readonly #parser = new ServerEventParser();
  #arrived: string[] = [];
  #end: { error?: Error } | undefined;
  #wake: (() => void) | undefined;

  constructor(body: Exchange) {
    this.#body = body;
    body.read({
      data: (text) => {
        this.#arrived.push(text);
        this.#wake?.();
      },
      end: () => this.#stop({}),
      fail: (error) => this.#stop({ error }),
    });
  }

  /** Waits for the next ones; `undefined` at the end. Throws when the body breaks off. */
  async next(): Promise<ServerEvent[] | undefined> {
    for (;;) {
      const events = this.#arrived.flatMap((text) => this.#parser.push(text));
      this.#arrived = [];
      if (events.length > 0) return events;
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end !== undefined) {
        const last = this.#parser.end();
        return last.length > 0 ? last : undefined;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Lets the rest arrive for nobody. */
  finish(): void {
    this.#body.finish();
  }

  /** Breaks off. */
  destroy(): void {
    this.#body.destroy();
  }

  #stop(end: { error?: Error }): void {
    this.#end ??= end;
    this.#wake?.();
  }
}

/** Text in, complete events out, however the text is cut into pieces. */
export class ServerEventParser {
  /** The beginning of a line whose end has not come yet, in pieces. */
  #rest: string[] = [];
  /** A `\r` at the end of a piece: whether it is a line end or half of one is not known yet. */
  #held = "";
  #begun = false;
  #name = "";
  #data: string[] = [];

  push(text: string): ServerEvent[] {
    let all = this.#held + (this.#begun ? text : withoutMark(text));
    this.#begun ||= text !== "";
    this.#held = all.endsWith("\r") ? "\r" : "";
    if (this.#held !== "") all = all.slice(0, -1);
    return all.includes("\r") ? this.#takeAll(all.replaceAll(/\r\n?/g, "\n")) : this.#takeAll(all);
  }

  /** Nothing more will come. */
  end(): ServerEvent[] {
    return this.#held === "" ? [] : this.push("\n");
  }

  #takeAll(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    let from = 0;
    for (;;) {
      const end = text.indexOf("\n", from);
      if (end === -1) break;
      let line = text.slice(from, end);
      if (this.#rest.length > 0) line = this.#rest.splice(0).join("") + line;
      if (line === "") this.#finish(events);
      else this.#take(line);
      from = end + 1;
    }
    if (from < text.length) this.#rest.push(text.slice(from));
    return events;
  }

  #take(line: string): void {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") return;
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.#data.push(value);
    else this.#name = value;
  }

  #finish(events: ServerEvent[]): void {
    if (this.#data.length > 0)
      events.push({ name: this.#name || "message", data: this.#data.join("\n") });
    this.#name = "";
    this.#data = [];
  }
}

/** A text may begin with a byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
