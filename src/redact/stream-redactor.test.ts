import { expect, test } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { randomText } from "./examples-fixture.ts";
import { createRedactor, type Redactor } from "./redactor.ts";
import { secretPatterns } from "./secret-patterns.ts";
import { StreamRedactor } from "./stream-redactor.ts";

const redactor = createRedactor({ env: { LONG_SECRET: "two words 99" } });
const examples = secretPatterns.flatMap((pattern) =>
  pattern.examples(randomText(8)).map(([example, secret]) => ({ example, secret })),
);

function inPieces(given: string, cuts: readonly number[], using: Redactor = redactor): string {
  const stream = new StreamRedactor(using);
  const places = [0, ...cuts.map((cut) => cut % (given.length + 1)).toSorted((a, b) => a - b)];
  const pieces = places.map((from, index) => given.slice(from, places[index + 1] ?? given.length));
  return pieces.map((piece) => stream.push(piece)).join("") + stream.flush();
}

const everywhere = (given: string): number[] => Array.from(given, (_, index) => index);

const words = fc.array(
  fc.oneof(
    fc.constantFrom(...examples.map(({ example }) => example), "two words 99"),
    fc.constantFrom(
      "the",
      "password",
      "is",
      "token =",
      "key:",
      "login",
      "Bearer",
      "-u",
      "Cookie: a=b;",
      "set-cookie",
      "sid=ab12cd34ef56;",
      "é",
      '"a"',
    ),
    fc.string({ maxLength: 12 }),
  ),
  { maxLength: 20 },
);

test("however it is cut, all pieces together are the whole text redacted", () => {
  const joints = fc.constantFrom(" ", "\n", "  ", "\t");
  fc.assert(
    fc.property(words, joints, fc.array(fc.nat(), { maxLength: 30 }), (parts, joint, cuts) => {
      const given = parts.join(joint);
      expect(inPieces(given, cuts)).toBe(redactor.text(given));
    }),
    { numRuns: 3000 },
  );
});

test("every format survives being told one character at a time", () => {
  for (const { example, secret } of examples) {
    const given = `It is ${example} , as you know.`;
    const streamed = inPieces(given, everywhere(given));
    expect(streamed).toBe(redactor.text(given));
    expect(streamed).not.toContain(secret);
  }
});

test("a password is told by the login before it, also when that is a long secret or one of several lines", () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${randomText(1)(64)}\n-----END PRIVATE KEY-----`;
  const token = examples.find(({ example }) => example.startsWith("pypi-"))?.example ?? "";
  expect(token.length).toBeGreaterThan(128);
  for (const login of [token, key]) {
    const given = `login ${login} password opensesame`;
    expect(inPieces(given, everywhere(given))).toBe(redactor.text(given));
    expect(redactor.text(given)).not.toContain("opensesame");
  }
});

test.each(["login ", "account\n", "login x "])(
  "what announces a secret again and again is not held back for ever: %j",
  (word) => {
    const stream = new StreamRedactor(redactor);
    const shown = Array.from({ length: 500 }, () => stream.push(word)).join("");
    expect(shown.length).toBeGreaterThan(300 * word.length);
    const given = `${word.repeat(300)}login me password opensesame`;
    expect(inPieces(given, everywhere(given))).toBe(redactor.text(given));
    expect(redactor.text(given)).not.toContain("opensesame");
  },
);

test("cookies that come after others are told by the header before them", () => {
  const given = `Cookie: theme=dark; lang=en; sid=${randomText(4)(24)}5; a=b\nHost: x Cookie: a=b c`;
  const streamed = inPieces(given, everywhere(given));
  expect(streamed).toBe("Cookie: [redacted:cookie]\nHost: x Cookie: a=b c");
});

test("a header of cookies without an end is not held back for ever", () => {
  const stream = new StreamRedactor(redactor);
  const shown = Array.from({ length: 500 }, () => stream.push("cookie: a=b; ")).join("");
  expect(shown.length).toBeGreaterThan(4000);
});

test("a private key in pieces goes as a whole", () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${randomText(1)(64)}\n${randomText(2)(64)}\n-----END PRIVATE KEY-----`;
  const given = `Here:\n${key}\nThat was it.`;
  expect(inPieces(given, everywhere(given))).toBe("Here:\n[redacted:private-key]\nThat was it.");
});

test("ordinary words come as soon as they are whole", () => {
  const stream = new StreamRedactor(redactor);
  const shown = ["Now I ", "look at", " the file", "s. Then"].map((piece) => stream.push(piece));
  expect([...shown, stream.flush()].join("")).toBe("Now I look at the files. Then");
  const plain = new StreamRedactor(createRedactor());
  expect(["Now I ", "look at", " the file"].map((piece) => plain.push(piece))).toEqual([
    "Now I ",
    "look ",
    "at the ",
  ]);
});

test("an endless word is not held back for ever", () => {
  const stream = new StreamRedactor(createRedactor());
  let shown = "";
  for (let piece = 0; piece < 100; piece += 1) shown += stream.push("x".repeat(1000));
  expect(shown.length).toBeGreaterThan(80_000);
  expect(shown + stream.flush()).toBe("x".repeat(100_000));
});
