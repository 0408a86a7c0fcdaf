import { describe, expect, test } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { plain, plainLine } from "./sanitize.ts";

const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]|\p{Bidi_Control}/u;
const hostilePart = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\x1b", "\x1b[", "\x1b]", "\x9b", "\x9d", "\x90", "\x07", "\x1b\\", "\x9c"),
  fc.constantFrom("\u202e", "\u2066", "\ud800", "\udc00", "52;c;", "31m", "\r", "\n", "\t"),
);
const hostile = fc.array(hostilePart, { maxLength: 30 }).map((parts) => parts.join(""));

describe("plain", () => {
  test.each([
    ["a colour", "\x1b[1;31mred\x1b[0m", "red"],
    ["a cursor move", "a\x1b[2Jb\x1b[10;5Hc", "abc"],
    ["an eight-bit control sequence", "a\x9b31mb", "ab"],
    ["a window title", "\x1b]0;pwned\x07name", "name"],
    ["a link", "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"],
    ["the clipboard", "\x1b]52;c;cm0gLXJmIH4=\x07safe", "safe"],
    ["an eight-bit clipboard", "\x9d52;c;cm0gLXJmIH4=\x9csafe", "safe"],
    ["a device control string", "\x1bPq#0;2;0;0;0\x1b\\picture", "picture"],
    ["an application command", "\x1b_secret\x1b\\text", "text"],
    ["a reset and a character set", "\x1bcab\x1b(0c", "abc"],
    ["reversed text", "user\u202etxt.exe\u202c \u2067x\u2069", "usertxt.exe x"],
    ["bell, backspace and NUL", "a\x07b\x08c\0d\x7fe", "abcde"],
  ])("removes %s", (_, text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  test("keeps newlines, tabs and every script", () => {
    const text = "a\tb\nзвезда 日本語 שלום 👩‍👩‍👧 é";
    expect(plain(text)).toBe(text);
  });

  test("a carriage return becomes a new line, so that nothing is overwritten", () => {
    expect(plain("safe\rrm -rf\r\nend")).toBe("safe\nrm -rf\nend");
  });

  test("a sequence that never ends does not hide the text after it", () => {
    expect(plain("\x1b]52;c;rm -rf /")).toBe("52;c;rm -rf /");
  });

  test("folds all white space into single blanks for one line", () => {
    expect(plain("  a\n\n\tb \u2028 c\n", { oneLine: true })).toBe("a b c");
  });

  test("cuts a thousand accents on one letter", () => {
    expect(plain(`e${"\u0301".repeat(1000)}`).length).toBe(9);
  });

  test("never leaves a control character, a half surrogate or a reversal", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(plain(text)).not.toMatch(controls);
        expect(plain(text).isWellFormed()).toBe(true);
        expect(plain(text, { oneLine: true })).not.toMatch(/[\n\t]/);
        expect(plain(plain(text))).toBe(plain(text));
      }),
    );
  });

  test.each(["\x1b]", "\x9d", "\x1b[", "\x9b1;", "\x1b[ ", " ", "\u0301"])(
    // Anything beyond linear time would not end within the limit of a test.
    "comes to an end for a megabyte of %j",
    (part) => {
      expect(plain(part.repeat(1_000_000 / part.length), { oneLine: true })).not.toMatch(controls);
    },
  );
});

describe("plainLine", () => {
  test("keeps at most 300 characters of a long text", () => {
    expect(plainLine("x".repeat(10_000))).toBe(`${"x".repeat(299)}…`);
  });

  test("does not cut an emoji in half", () => {
    expect(plainLine("👍".repeat(300)).isWellFormed()).toBe(true);
  });
});
