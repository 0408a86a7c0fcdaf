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
    const lines = all.includes("\r") ? all.split(/\r\n?|\n/) : all.split("\n");
    this.#rest.push(lines.shift() ?? "");
    const unfinished = lines.pop();
    if (unfinished === undefined) return [];
    const whole = [this.#rest.join(""), ...lines];
    this.#rest = [unfinished];
    return whole.flatMap((line) => this.#take(line) ?? []);
  }

  /** Nothing more will come. */
  end(): ServerEvent[] {
    return this.#held === "" ? [] : this.push("\n");
  }

  #take(line: string): ServerEvent | undefined {
    if (line === "") return this.#event();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#name = value;
    else if (field === "data") this.#data.push(value);
    return undefined;
  }

  #event(): ServerEvent | undefined {
    const event =
      this.#data.length === 0
        ? undefined
        : { name: this.#name || "message", data: this.#data.join("\n") };
    this.#name = "";
    this.#data = [];
    return event;
  }
}

/** A text may begin with a byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
