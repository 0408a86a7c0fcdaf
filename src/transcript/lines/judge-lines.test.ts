import { describe, expect, test } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { judgeLines } from "./judge-lines.ts";
import { sealLines } from "./line-sum.ts";

type Value = { text: string };

/** The bytes of one append. */
function append(...texts: string[]): Buffer {
  return Buffer.from(sealLines(texts.map((text) => JSON.stringify({ text }))));
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end; (end = bytes.indexOf("\n", start)) !== -1; start = end + 1) {
    lines.push(bytes.subarray(start, end + 1));
  }
  return lines;
}

function judge(...parts: (string | Buffer)[]): {
  texts: string[];
  bad: string[];
  torn: number;
} {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const texts: string[] = [];
  const { bad, end, lines } = judgeLines(bytes, {
    take: (value) => texts.push((value as Value).text),
  });
  expect(lines).toBe(texts.length);
  // Without the values it comes to the same judgement.
  expect(judgeLines(bytes)).toMatchObject({ bad, end, lines });
  return {
    texts,
    bad: bad.map(({ line, reason }) => `${line}: ${reason}`),
    torn: bytes.length - end,
  };
}

function changed(line: Buffer): Buffer {
  return Buffer.from(line.toString("utf8").replace('{"text":"', '{"text":"x'));
}

const [first, second, third] = linesOf(append("a", "b", "c")) as [Buffer, Buffer, Buffer];

describe("at the end of a file", () => {
  test("whole appends count, with lines of other programs among them", () => {
    const { texts, bad, torn } = judge(append("1"), '{"text":"2"}\n', append("3", "4"), "\n");
    expect({ texts, bad, torn }).toEqual({ texts: ["1", "2", "3", "4"], bad: [], torn: 0 });
  });

  test.each([
    ["half a line", append("2").subarray(0, 20), []],
    ["the first lines of an append", Buffer.concat([first, second]), []],
    ["an append whose last line lacks its end", append("a", "b", "c").subarray(0, -1), []],
    ["NUL bytes without a newline", Buffer.alloc(5000), []],
    [
      "a line of which a page was lost",
      Buffer.concat([Buffer.alloc(30), append("2").subarray(30)]),
      ["2: NUL bytes"],
    ],
    ["a line whose sum does not hold", changed(append("2")), ["2: sum does not hold"]],
    [
      "an append whose last line does not hold",
      Buffer.concat([first, second, changed(third)]),
      ["2: of an unfinished append", "3: of an unfinished append", "4: sum does not hold"],
    ],
  ])("%s was never acknowledged", (_name, tail, bad) => {
    const judged = judge(append("1"), tail);
    expect(judged).toEqual({ texts: ["1"], bad, torn: tail.length });
  });

  test("a whole line of another program that is not JSON is not ours to cut off", () => {
    expect(judge(append("1"), "not JSON\n")).toEqual({
      texts: ["1"],
      bad: ["2: not JSON"],
      torn: 0,
    });
  });
});

describe("in the middle of a file", () => {
  test("a bad line is passed over, and the others of its append count", () => {
    const { texts, bad, torn } = judge(first, changed(second), third, append("d"));
    expect({ texts, bad, torn }).toEqual({
      texts: ["a", "c", "d"],
      bad: ["2: sum does not hold"],
      torn: 0,
    });
    expect(judge(first, second, changed(third), append("d")).texts).toEqual(["a", "b", "d"]);
    expect(judge(changed(first), second, third, append("d")).texts).toEqual(["b", "c", "d"]);
  });

  test("an append that was never finished does not count", () => {
    expect(judge(first, second, append("d"))).toEqual({
      texts: ["d"],
      bad: ["1: of an unfinished append", "2: of an unfinished append"],
      torn: 0,
    });
  });

  test("a whole line that another process wrote behind a torn one counts", () => {
    const { texts, bad, torn } = judge(first, second.subarray(0, 15), append("d"), append("e"));
    expect({ texts, bad, torn }).toEqual({
      texts: ["d", "e"],
      bad: ["1: of an unfinished append", "2: sum does not hold"],
      torn: 0,
    });
  });
});

const appends = fc.array(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});

test("wherever a file is cut off, exactly the appends that arrived whole count", () => {
  fc.assert(
    fc.property(appends, fc.nat(), (groups, at) => {
      const parts = groups.map((texts) => append(...texts));
      const bytes = Buffer.concat(parts);
      const length = at % (bytes.length + 1);
      let end = 0;
      const whole = groups.filter((_, index) => (end += parts[index]?.length ?? 0) <= length);
      const { texts, torn } = judge(bytes.subarray(0, length));
      expect(texts).toEqual(whole.flat().map((text) => text.toWellFormed()));
      expect(torn).toBe(length - Buffer.concat(parts.slice(0, whole.length)).length);
    }),
  );
});

test("whatever byte changes, nothing is read that was not written", () => {
  fc.assert(
    fc.property(appends, fc.nat(), fc.integer({ min: 1, max: 255 }), (groups, at, change) => {
      const bytes = Buffer.concat(groups.map((texts) => append(...texts)));
      const place = at % bytes.length;
      bytes[place] = (bytes[place] ?? 0) ^ change;
      const written = new Set(groups.flat().map((text) => text.toWellFormed()));
      for (const text of judge(bytes).texts) expect(written).toContain(text);
    }),
  );
});
