import { describe, expect, test } from "vitest";
import { bash, done, open } from "./live-view-fixture.ts";
import { createStyle } from "../terminal/style.ts";
import { Terminal } from "../terminal/terminal-fixture.ts";

describe("space", () => {
  test("ended agents fold away, oldest first, and each leaves its summary above", () => {
    const { terminal, clock, tell, child } = open({ rows: 7 });
    for (let index = 0; index < 8; index += 1) {
      child(`agent-${index}`);
      if (index < 6) tell(`agent-${index}`, { type: "agent-end", result: done });
      clock.advance(1000);
    }
    const lines = terminal.text.split("\n");
    expect(lines.slice(-6).map((line) => line.split("  ")[0])).toEqual([
      "retinue · 3 working · 6 done",
      "✻ main",
      "├ ✓ agent-5",
      "├ ✻ agent-6",
      "└ ✻ agent-7",
      "… and 5 done",
    ]);
    for (let index = 0; index < 5; index += 1) {
      const summaries = lines.filter((line) => line.startsWith(`✓ agent-${index} (`));
      expect(summaries).toHaveLength(1);
    }
  });

  test("more living agents than rows are counted", () => {
    const { terminal, clock, child } = open({ rows: 5 });
    for (let index = 0; index < 9; index += 1) child(`agent-${index}`);
    clock.advance(0);
    expect(terminal.text.split("\n")).toHaveLength(4);
    expect(terminal.text).toContain("… and 8 more");
  });

  test("a terminal that does not know its size is taken for one of the usual size", () => {
    const terminal = new Terminal(80, 24);
    const unsized = { columns: 0, rows: 0, write: (text: string) => terminal.write(text) };
    const { clock, child } = open({ stream: unsized });
    for (const id of ["scan", "test"]) child(id);
    clock.advance(200);
    expect(terminal.text).toMatch(/✻ main {2}.*\n├ ✻ scan {2}.*\n└ ✻ test {2}/);
  });

  test("a terminal that becomes narrower or wider is redrawn without remains", () => {
    const { terminal, clock, child } = open({ columns: 100 });
    child("scan");
    clock.advance(200);
    // A terminal that reflows breaks each of the three lines in two.
    const reflowed = terminal.lines
      .slice(0, 3)
      .flatMap((line) => [line.slice(0, 60), line.slice(60)]);
    terminal.lines.splice(0, 3, ...reflowed);
    terminal.row = 6;
    terminal.resize(60, 24);
    clock.advance(200);
    expect(terminal.text.split("\n")).toHaveLength(3);
    terminal.resize(120, 24);
    clock.advance(200);
    expect(terminal.text.split("\n")).toHaveLength(3);
    expect(terminal.text.match(/retinue/g)).toHaveLength(1);
  });

  test("a terminal that becomes lower keeps nothing below the block", () => {
    const { terminal, clock, child } = open({ rows: 24 });
    for (let index = 0; index < 4; index += 1) child(`agent-${index}`);
    clock.advance(200);
    terminal.resize(100, 4);
    clock.advance(200);
    expect(terminal.lines.slice(terminal.row)).toEqual([""]);
    expect(terminal.text.split("\n").at(-1)).toBe("… and 4 more");
  });

  test.each([2, 3, 10, 25, 40, 60, 79, 200])(
    "at %i columns no line is too wide, whatever the names",
    (columns) => {
      const { terminal, clock, tell, child, view } = open({
        columns,
        rows: 12,
        style: createStyle(true),
      });
      const hostile = [
        "\x1b]52;c;cm0gLXJmIH4=\x07\x1b[2J\x1b[Hpwned",
        "\u202eexe.txt\u2066",
        "x".repeat(10_000),
        "👩‍👩‍👧🇩🇪日本語".repeat(50),
        "e\u0301".repeat(500),
        "line\nline\r\tend",
      ];
      for (const [index, text] of hostile.entries()) {
        const id = `c${index}`;
        child(id, { name: text, type: text, description: text, model: text, color: text });
        tell(id, bash("1", text), { type: "tool-call-progress", callId: "1", text });
        tell(id, {
          type: "permission-deny",
          call: { id: "2", name: text, input: { a: text } },
          reason: text,
        });
        clock.advance(15_000);
        tell(id, { type: "agent-end", result: { ...done, content: text } });
      }
      view.log(hostile.join(" "));
      clock.advance(1000);
      view.stop();
      expect(terminal.writes.length).toBeGreaterThan(5);
    },
  );
});
