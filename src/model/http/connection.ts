import type { Socket } from "node:net";
import { AnswerError, AnswerParser } from "./answer-parser.ts";
import type { Exchange } from "./exchange.ts";
import { idleMs } from "./idle-ms.ts";

/** Who keeps connections. */
export interface Owner {
  /** It can carry another request. */
  idle: (connection: Connection) => void;
  closed: (connection: Connection) => void;
}

/** One socket, which carries one request after the other. While it carries none it does not keep the process alive. */
export class Connection {
  readonly #socket: Socket;
  readonly #owner: Owner;
  #exchange: Exchange | null = null;
  #parser: AnswerParser | null = null;
  #idleMs = 0;
  /** On the clock of `performance.now()`. */
  #freshUntil = 0;

  constructor(socket: Socket, owner: Owner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("error", (error) => this.#fail(error));
    socket.once("end", () => {
      // A beginning of TLS that breaks off destroys it, and says so itself.
      if (!socket.destroyed) this.#parse((parser) => parser.close());
    });
    socket.once("close", () => {
      this.#fail(new AnswerError("the connection was closed"));
      owner.closed(this);
    });
  }

  /** Whether the next request can be tried on it: the server has not closed it, and will not soon. */
  get isFresh(): boolean {
    return this.#socket.writable && performance.now() <= this.#freshUntil;
  }

  carry(head: string, body: string, exchange: Exchange): void {
    this.#exchange = exchange;
    this.#parser = new AnswerParser({
      head: (head) => {
        this.#idleMs = idleMs(head.headers);
        exchange.takeHead(head);
      },
      data: (bytes) => exchange.takeData(bytes),
      end: (isReusable) => this.#end(exchange, isReusable),
    });
    exchange.carriedBy(() => this.close());
    this.#socket.ref();
    // Together, but not as one text, which would be a copy of both.
    this.#socket.cork();
    this.#socket.write(head, "latin1");
    if (body !== "") this.#socket.write(body);
    this.#socket.uncork();
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    // Nobody asked.
    if (this.#parser === null) this.close();
    else this.#parse((parser) => parser.push(bytes));
  }

  #parse(step: (parser: AnswerParser) => void): void {
    if (this.#parser === null) return;
    try {
      step(this.#parser);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      this.close();
    }
  }

  #end(exchange: Exchange, isReusable: boolean): void {
    const socket = this.#socket;
    this.#exchange = null;
    this.#parser = null;
    // A server may answer before it has the whole request; what is left of that must not come before the next one.
    if (isReusable && this.#idleMs > 0 && socket.writable && socket.writableLength === 0) {
      socket.unref();
      this.#freshUntil = performance.now() + this.#idleMs;
      this.#owner.idle(this);
    } else this.close();
    exchange.takeEnd();
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#parser = null;
    exchange?.fail(error);
  }
}
