import type { Readable } from "node:stream";

/** One server-sent event. */
export interface ServerEvent {
  /** `message` when the server names none. */
  name: string;
  data: string;
}

/**
 * The server-sent events of a body, as lists: all that came since the last time. A client library hands them out one by
 * one through several generators, which for a hundred answers that arrive at once is more work than all the rest.
 * A caller that breaks off has the body on its hands: `finish` or destroy it.
 */
export async function* readServerEvents(body: Readable): AsyncGenerator<ServerEvent[]> {
  const parser = new ServerEventParser();
  let arrived: string[] = [];
  let end: { error?: Error } | undefined;
  let wake: (() => void) | undefined;
  const stop = (error?: Error): void => {
    end ??= error === undefined ? {} : { error };
    wake?.();
  };
  body.setEncoding("utf8");
  const take = (text: string): void => {
    arrived.push(text);
    wake?.();
  };
  body.on("data", take);
  body.once("end", () => stop());
  // For as long as the body lives: an error that nobody hears would end the process.
  body.on("error", stop);
  body.once("close", () => stop(new Error("the connection was closed")));
  try {
    for (;;) {
      const events = arrived.flatMap((text) => parser.push(text));
      arrived = [];
      if (events.length > 0) yield events;
      if (arrived.length > 0) continue;
      if (end?.error !== undefined) throw end.error;
      if (end !== undefined) break;
      await new Promise<void>((resolve) => (wake = resolve));
    }
    const last = parser.end();
    if (last.length > 0) yield last;
  } finally {
    body.off("data", take);
  }
}

/** Lets the rest of a body arrive, so that its connection can serve the next request, but not for longer than a second. */
export function finish(body: Readable): void {
  body.resume();
  if (body.readableEnded || ("complete" in body && body.complete === true)) return;
  const late = setTimeout(() => body.destroy(), 1000);
  body.once("close", () => clearTimeout(late));
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
    let all = this.#held + (this.#begun ? text : text.replace(/^\uFEFF/, ""));
    this.#begun ||= text !== "";
    this.#held = all.endsWith("\r") ? "\r" : "";
    if (this.#held !== "") all = all.slice(0, -1);
    const lines = all.includes("\r") ? all.split(/\r\n?|\n/) : all.split("\n");
    this.#rest.push(lines.shift() ?? "");
    return lines.flatMap((next) => {
      const event = this.#take(this.#rest.join(""));
      this.#rest = [next];
      return event === undefined ? [] : [event];
    });
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
