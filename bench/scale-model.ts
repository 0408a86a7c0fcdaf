import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { bodyOf, closeServer, eventStream } from "./fake-model.ts";
import { fileName, filesPerChild, workloads } from "./script.ts";

/**
 * A model on loopback for very many agents, each of which reads files, one per turn, and reports. It parses no request and
 * keeps none: with thousands of them its own work would hide what the clients cost.
 */
export class ScaleModel implements AsyncDisposable {
  /** Requests that could not be answered, as messages for people. */
  refusals: string[] = [];
  requests = 0;
  /** The most agents between their first request and their last answer. */
  mostAtOnce = 0;
  #atOnce = 0;
  #latencyMs = 0;
  #crowd = 0;
  #gathered: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #server: Server;
  readonly #directory: string;

  private constructor(server: Server, directory: string) {
    this.#server = server;
    this.#directory = directory;
  }

  /** Starts the model. `directory`: the files that agents are told to read. */
  static async start(directory: string): Promise<ScaleModel> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const self = new ScaleModel(server, directory);
    server.on("request", (incoming, response) => {
      void self.#serve(incoming, response);
    });
    server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 });
    await once(server, "listening");
    return self;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * Forgets all requests, before the next run. `crowd`: no answer is sent before so many agents have asked; without
   * this the first would have ended before the last begins.
   */
  reset({ latencyMs, crowd }: { latencyMs: number; crowd: number }): void {
    this.#latencyMs = latencyMs;
    this.#crowd = crowd;
    this.#gathered = Promise.withResolvers();
    this.refusals = [];
    this.requests = 0;
    this.mostAtOnce = 0;
    this.#atOnce = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await closeServer(this.#server);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAt = performance.now();
    try {
      const request = await bodyOf(incoming);
      const { agent, reads } = agentIn(request);
      const done = occurrences(request, resultMark);
      if (done === 0) this.#atOnce += 1;
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
      if (this.#atOnce >= this.#crowd) this.#gathered.resolve();
      if (done > 0 && !request.includes(lastWordsOf(fileOf(agent, reads, done - 1)))) {
        throw new Error("the content of a file did not arrive");
      }
      const body = eventStream(
        done >= reads
          ? { text: reportOf(agent) }
          : { calls: [{ name: "Read", input: { file_path: this.#path(agent, reads, done) } }] },
        "scale",
      );
      if (done === 0) await this.#gathered.promise;
      await setTimeout(Math.max(0, this.#latencyMs - (performance.now() - arrivedAt)));
      response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
      this.requests += 1;
      if (done >= reads) this.#atOnce -= 1;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.refusals.push(message);
      response.writeHead(400, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }),
      );
    }
  }

  #path(agent: number, reads: number, step: number): string {
    return join(this.#directory, fileName(0, fileOf(agent, reads, step)));
  }
}

/**
 * The prompt of an agent. The fake model reads the asker and its progress from the request: a mark in the prompt tells
 * agents apart.
 */
export function promptFor(agent: number, reads: number): string {
  return `[scale agent ${agent} reads ${reads}] Read ${reads} files one after the other, then report.`;
}

export function reportOf(agent: number): string {
  return `Agent ${agent} of the bench has read its files.`;
}

function agentIn(request: string): { agent: number; reads: number } {
  const [, agent, reads] = /\[scale agent (\d+) reads (\d+)\]/.exec(request) ?? [];
  if (agent === undefined) throw new Error("A request without the mark of the bench.");
  return { agent: Number(agent), reads: Number(reads) };
}

/** The number of the file that an agent reads in a step. */
function fileOf(agent: number, reads: number, step: number): number {
  return (agent * reads + step) % (Math.max(...Object.values(workloads)) * filesPerChild);
}

/** Text of the last line of a file, and of no other one. */
function lastWordsOf(file: number): string {
  return `value_${file}_23 `;
}

const resultMark = '"type":"tool_result"';

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    count += 1;
  }
  return count;
}
