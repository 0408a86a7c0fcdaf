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
  body.on("data", (text: string) => {
    arrived.push(text);
    wake?.();
  });
  body.once("end", () => stop());
  // For as long as the body lives: an error that nobody hears would end the process.
  body.on("error", stop);
  body.once("close", () => stop(new Error("the connection was closed")));
  for (;;) {
    const events = arrived.flatMap((text) => parser.push(text));
    arrived = [];
    if (events.length > 0) yield events;
    if (arrived.length > 0) continue;
    if (end?.error !== undefined) throw end.error;
    if (end !== undefined) return;
    await new Promise<void>((resolve) => (wake = resolve));
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
  #rest = "";
  #name = "";
  #data: string[] = [];

  push(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const all = this.#rest + text;
    const lines = all.includes("\r") ? all.split(/\r\n|\n|\r(?!$)/) : all.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") this.#take(line);
      else if (this.#data.length > 0) events.push(this.#event());
      else this.#name = "";
    }
    return events;
  }

  #take(line: string): void {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#name = value;
    else if (field === "data") this.#data.push(value);
  }

  #event(): ServerEvent {
    const event = { name: this.#name || "message", data: this.#data.join("\n") };
    this.#name = "";
    this.#data = [];
    return event;
  }
}
