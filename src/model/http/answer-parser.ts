import { headerName, headerValue } from "./header-signs.ts";
import { PlainHeaders } from "./plain-headers.ts";

export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: PlainHeaders;
}

/** Who hears of an answer, in this order. */
export interface AnswerListener {
  head: (head: AnswerHead) => void;
  data: (bytes: Buffer) => void;
  /** Whether the connection can carry another request. */
  end: (isReusable: boolean) => void;
}

/** What came is no answer in HTTP/1.1, or not a whole one. */
export class AnswerError extends Error {
  override readonly name = "AnswerError";
}

/**
 * Reads one answer in HTTP/1.1 (RFC 9112) from the bytes of a connection, however they are cut. It is strict: where two
 * readers could understand different things there is no answer but an error, and the connection is of no more use.
 */
export class AnswerParser {
  readonly #listener: AnswerListener;
  #state: State = "status";
  /** The beginning of a line. */
  #held: Buffer = empty;
  /** Of lines, since the answer or a chunk of it began. */
  #lineBytes = 0;
  /** Of the body, or of its current chunk. */
  #missing = 0;
  #isReusable = false;
  #head: { version: string; status: number; statusText: string; headers: PlainHeaders } | null =
    null;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  push(bytes: Buffer): void {
    const input = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    let at = 0;
    while (at < input.length && this.#state !== "done") {
      if (this.#state === "data" || this.#state === "chunk data" || this.#state === "rest")
        at = this.#takeData(input, at);
      else {
        const end = input.indexOf(newline, at);
        if (end === -1) break;
        this.#takeLine(lineOf(input, at, end), end + 1 - at, end + 1 === input.length);
        at = end + 1;
      }
    }
    this.#held = at === input.length ? empty : input.subarray(at);
    if (this.#lineBytes + this.#held.length > longestLines && this.#state !== "done")
      throw tooLong();
  }

  /** The connection has ended. */
  close(): void {
    if (this.#state === "rest") this.#finish(false);
    else if (this.#state !== "done") throw new AnswerError("the connection was closed");
  }

  #takeData(input: Buffer, at: number): number {
    if (this.#state === "rest") {
      this.#listener.data(input.subarray(at));
      return input.length;
    }
    const end = Math.min(input.length, at + this.#missing);
    this.#missing -= end - at;
    this.#listener.data(input.subarray(at, end));
    if (this.#missing === 0) {
      if (this.#state === "data") this.#finish(end === input.length);
      else this.#state = "chunk end";
    }
    return end;
  }

  #takeLine(line: string, length: number, isLast: boolean): void {
    this.#lineBytes += length;
    if (this.#lineBytes > longestLines) throw tooLong();
    switch (this.#state) {
      case "status":
        this.#takeStatus(line);
        break;
      case "headers":
        if (line === "") this.#begin(isLast);
        else this.#takeHeader(line);
        break;
      case "chunk size":
        this.#takeSize(line);
        break;
      case "chunk end":
        if (line !== "") throw new AnswerError("a chunk of the answer is longer than it says");
        this.#lineBytes = 0;
        this.#state = "chunk size";
        break;
      default:
        if (line === "") this.#finish(isLast);
        else this.#takeTrailer(line);
    }
  }

  #takeStatus(line: string): void {
    const [, version = "", status = "", , statusText = ""] =
      /^HTTP\/(1\.[01]) ([1-9]\d\d)( (.*))?$/.exec(line) ?? [];
    if (version === "") throw new AnswerError("what the server says is no answer in HTTP/1.1");
    this.#head = { version, status: Number(status), statusText, headers: new PlainHeaders() };
    this.#state = "headers";
  }

  #takeHeader(line: string): void {
    const [name, value] = headerOf(line);
    // Some readers do not take a tab after `chunked` for a blank.
    if (line.endsWith("\t") && /^transfer-encoding:/i.test(line)) throw noLength();
    this.#head?.headers.append(name, value);
  }

  /** Nobody reads them, but they cannot say once more how long the answer is. */
  #takeTrailer(line: string): void {
    const [name] = headerOf(line);
    if (/^(?:content-length|transfer-encoding)$/i.test(name)) throw noLength();
  }

  /** All headers are there: they say how long the body is. */
  #begin(isLast: boolean): void {
    if (this.#head === null) return;
    const { version, status, statusText, headers } = this.#head;
    if (status === 101) throw new AnswerError("the server wants another protocol");
    const closes = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i.test(headers.get("connection") ?? "");
    this.#isReusable = version === "1.1" && !closes;
    const told = bodyLength(version, headers);
    const isBodiless = status < 200 || status === 204 || status === 304;
    // A body that comes nevertheless would be taken for the next answer.
    if (isBodiless && told !== "rest" && told !== 0) this.#isReusable = false;
    if (status < 200) {
      // Something to pass the time; the answer is still to come.
      if (!this.#isReusable) throw new AnswerError("after this the server cannot answer");
      this.#state = "status";
      return;
    }
    this.#lineBytes = 0;
    const length = isBodiless ? 0 : told;
    this.#listener.head({ status, statusText, headers });
    if (length === 0) this.#finish(isLast);
    else if (length === "chunked") this.#state = "chunk size";
    else if (length === "rest") this.#state = "rest";
    else {
      this.#missing = length;
      this.#state = "data";
    }
  }

  #takeSize(line: string): void {
    const digits = chunkSize.exec(line)?.[1];
    if (digits === undefined) throw new AnswerError("a chunk of the answer does not say its size");
    this.#missing = Number.parseInt(digits, 16);
    this.#state = this.#missing === 0 ? "trailers" : "chunk data";
  }

  #finish(isLast: boolean): void {
    this.#state = "done";
    // What comes after the end belongs to nothing that was asked.
    this.#listener.end(this.#isReusable && isLast);
  }
}

type State =
  | "status"
  | "headers"
  | "data"
  | "rest"
  | "chunk size"
  | "chunk data"
  | "chunk end"
  | "trailers"
  | "done";

const newline = 10;
const carriageReturn = 13;
const empty = Buffer.alloc(0);
/** As in Node's client. */
const longestLines = 16_384;
/** What may stand after the size (`;name=value`), nobody uses. */
const chunkSize =
  /^([0-9a-f]{1,12})(?:;[!#$%&'*+.^`|~\w-]+(?:=(?:[!#$%&'*+.^`|~\w-]+|"[\t !#-[\]-~]*"))?)*$/i;

function lineOf(input: Buffer, from: number, newlineAt: number): string {
  if (input[newlineAt - 1] !== carriageReturn || newlineAt === from)
    throw new AnswerError("a line of the answer does not end as it must");
  return input.toString("latin1", from, newlineAt - 1);
}

function headerOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  if (colon === -1 || !headerName.test(line.slice(0, colon)) || !headerValue.test(line))
    throw new AnswerError("a header of the answer cannot be read");
  let [from, to] = [colon + 1, line.length];
  while (isBlank(line, from)) from += 1;
  while (to > from && isBlank(line, to - 1)) to -= 1;
  return [line.slice(0, colon), line.slice(from, to)];
}

function isBlank(text: string, at: number): boolean {
  return text[at] === " " || text[at] === "\t";
}

function bodyLength(version: string, headers: PlainHeaders): number | "chunked" | "rest" {
  const encoding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (encoding !== null) {
    if (length !== null || version !== "1.1" || encoding.toLowerCase() !== "chunked")
      throw noLength();
    return "chunked";
  }
  if (length === null) return "rest";
  if (!/^\d{1,15}$/.test(length)) throw noLength();
  return Number(length);
}

function tooLong(): AnswerError {
  return new AnswerError("the lines of the answer are too long");
}

function noLength(): AnswerError {
  return new AnswerError("how long the answer is cannot be told");
}
