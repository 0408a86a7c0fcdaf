import { fc } from "./properties.ts";

/** An answer in HTTP/1.1, before it is bytes. */
export interface Answer {
  head: string;
  framing: "length" | "chunks" | "close" | "none";
  pieces: string[];
  remark: string;
  extension: string;
  trailer: string;
}

/** Answers that nobody can misunderstand, in every framing. */
export const answers: fc.Arbitrary<Answer> = fc
  .record({
    version: fc.constantFrom("1.1", "1.1", "1.1", "1.0"),
    status: fc.constantFrom("200 OK", "200", "200 ", "299 \u00E4", "404 Not Found", "529 Busy"),
    framing: fc.constantFrom("length", "chunks", "chunks", "close", "none"),
    lines: fc.array(
      fc.constantFrom<string[]>(
        "Content-Type: text/event-stream; charset=utf-8",
        "request-id:req_1",
        "Retry-After: \t3 \t",
        "X-Odd: \u00E4\u00FF",
        "x-odd:",
        "CONNECTION: Keep-Alive",
        "Keep-Alive: timeout=5",
        "a!#$%&'*+-.^_`|~: b",
      ),
      { maxLength: 4 },
    ),
    pieces: fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 4 }),
    remark: fc.constantFrom(
      "",
      "",
      "HTTP/1.1 100 Continue\r\n\r\n",
      "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n",
    ),
    extension: fc.constantFrom("", "", ";a", ";a=b", ';a="b c"', ";a=b;c"),
    trailer: fc.constantFrom("", "", "Trailer-One: a\r\n", "a: b\r\nc:\r\n"),
    coin: fc.boolean(),
  })
  .map(({ version, status, framing: asked, lines, coin, ...rest }): Answer => {
    const framing = asked === "chunks" && version === "1.0" ? "length" : asked;
    const bodiless = coin ? "204 No Content" : "304 Not Modified";
    const length = Buffer.byteLength(rest.pieces.join(""));
    if (framing === "length")
      lines.push(`${coin ? "Content-Length" : "CONTENT-LENGTH"}: ${length}`);
    if (framing === "chunks") lines.unshift(`Transfer-Encoding: ${coin ? "chunked" : "Chunked"}`);
    const first = `HTTP/${version} ${framing === "none" ? bodiless : status}`;
    return { ...rest, framing, head: [first, ...lines, "", ""].join("\r\n") };
  });

export function textOf({ framing, pieces }: Answer): string {
  return framing === "none" ? "" : pieces.join("");
}

export function bytesOf(answer: Answer): Buffer {
  const { remark, head, framing, pieces, extension, trailer } = answer;
  const chunks = pieces
    .filter((piece) => piece !== "")
    .map((piece) => {
      const size = Buffer.byteLength(piece).toString(16).toUpperCase();
      return `${size}${extension}\r\n${piece}\r\n`;
    });
  const body =
    framing === "chunks" ? `${chunks.join("")}000${extension}\r\n${trailer}\r\n` : textOf(answer);
  return Buffer.concat([Buffer.from(remark + head, "latin1"), Buffer.from(body)]);
}

/** Bytes, cut at any places. */
export function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = at.map((place) => place % bytes.length).toSorted((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
}
