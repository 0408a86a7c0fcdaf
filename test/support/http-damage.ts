import { fc } from "./properties.ts";

/** Makes other bytes of those of an answer. */
type Damage = (bytes: Buffer) => Buffer;

const scraps = fc.constantFrom(
  ...["\r", "\n", "\r\n", "\r\r\n", "\r\n\r\n", "\0", "\x7F", "\x80", "\xFF", " ", "\t"],
  ...[":", ";", ",", "=", '"', "-", "+", "0", "f", "0x", "ffffffffffffffff", "0\r\n\r\n"],
  ...["\r\n folded", "\r\n\tfolded", "HTTP/1.1 200 OK\r\n"],
);

const lines = fc.constantFrom(
  ...["Content-Length: 3", "Content-Length: 0", "Content-Length: 3, 3", "Content-Length: -1"],
  ...["Content-Length:", "Content-Length: 1 2", "Transfer-Encoding: chunked"],
  ...[
    "Transfer-Encoding: chunked\t",
    "Transfer-Encoding: gzip",
    "Transfer-Encoding: gzip, chunked",
  ],
  ...["Transfer-Encoding: chunked, gzip", "Transfer-Encoding: identity", "Transfer-Encoding:"],
  ...["Connection: close", "Connection: upgrade", "Upgrade: h2c", " x: y", ": y", "x", "x y: z"],
  ...["HTTP/1.1 200 OK", "HTTP/1.1 100 Continue", "HTTP/1.1 101 Switching"],
  ...["0", "1;a", "1 ", " 1", "5;\0", "FFFFFFFFFFFFFFFF", "10000000000000000"],
);

/** Bytes flipped, put in and left out; lines put in, doubled, cut off or ended otherwise. */
export const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })).map(flip),
  fc.tuple(fc.nat(), scraps).map(putIn((bytes, at) => at % bytes.length)),
  fc.tuple(fc.nat(), scraps).map(putIn((bytes, at) => Math.max(0, startOfLine(bytes, at) - 2))),
  fc
    .tuple(
      fc.nat(),
      lines.map((line) => `${line}\r\n`),
    )
    .map(putIn(startOfLine)),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 3 })).map(leaveOut),
  fc.nat().map(endLineWithoutReturn),
  fc.nat().map(doubleLine),
  fc.nat().map(
    (at): Damage =>
      (bytes) =>
        bytes.subarray(0, 1 + (at % bytes.length)),
  ),
);

function flip([at, mask]: [number, number]): Damage {
  return (bytes) =>
    bytes.map((byte, index) => (index === at % bytes.length ? byte ^ mask : byte)) as Buffer;
}

function putIn(place: (bytes: Buffer, at: number) => number) {
  return ([at, scrap]: [number, string]): Damage =>
    (bytes) =>
      splice(bytes, { at: place(bytes, at), gone: 0, put: scrap });
}

function leaveOut([at, gone]: [number, number]): Damage {
  return (bytes) => splice(bytes, { at: at % bytes.length, gone, put: "" });
}

function endLineWithoutReturn(line: number): Damage {
  return (bytes) =>
    splice(bytes, { at: Math.max(0, startOfLine(bytes, line) - 2), gone: 1, put: "" });
}

function doubleLine(line: number): Damage {
  return (bytes) => {
    const at = startOfLine(bytes, line);
    const end = bytes.indexOf("\r\n", at);
    const put = end === -1 ? "" : bytes.toString("latin1", at, end + 2);
    return splice(bytes, { at, gone: 0, put });
  };
}

function startOfLine(bytes: Buffer, line: number): number {
  const starts = [0];
  for (let at = bytes.indexOf("\r\n"); at !== -1; at = bytes.indexOf("\r\n", at + 2))
    starts.push(at + 2);
  return starts[line % starts.length] ?? 0;
}

function splice(
  bytes: Buffer,
  { at, gone, put }: { at: number; gone: number; put: string },
): Buffer {
  return Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from(put, "latin1"),
    bytes.subarray(at + gone),
  ]);
}
