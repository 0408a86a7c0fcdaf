import { describe, expect, onTestFinished, test } from "vitest";
import { call, never, question, setDesk, type Desk } from "../../inbox/inbox-fixture.ts";
import type { AskInput } from "../../inbox/inbox-options.ts";
import type { Answered } from "../../inbox/request.ts";
import { InboxPrompt } from "./inbox-prompt.ts";
import { Keyboard } from "../terminal/keyboard-fixture.ts";
import { KeyLayers } from "../terminal/key-layers.ts";
import type { Panel } from "../views/live-view.ts";
import { createStyle } from "../terminal/style.ts";
import { displayWidth } from "../terminal/width.ts";

interface Seat extends Desk {
  keyboard: Keyboard;
  interrupts: number[];
  /** The lines on the screen now; drawing them marks them as seen. */
  screen: () => string[];
  /** Keys of a person who has had the time to read. */
  press: (...chunks: string[]) => void;
  /** Keys without a frame or time in between. */
  rush: (...chunks: string[]) => void;
  size: { width: number; height: number };
}

function sit(size = { width: 60, height: 12 }): Seat {
  const desk = setDesk();
  const keyboard = new Keyboard();
  const interrupts: number[] = [];
  let panel: Panel | null = null;
  let now = Date.now();
  const keys = new KeyLayers({
    view: { show: (shown) => void (panel = shown), release: () => undefined },
    input: keyboard,
    interrupt: () => interrupts.push(1),
    isForeground: () => true,
  });
  const prompt = new InboxPrompt({ inbox: desk.inbox, keys, now: () => now });
  onTestFinished(() => {
    prompt[Symbol.dispose]();
    keys[Symbol.dispose]();
  });
  const screen = (): string[] => {
    const lines = panel?.draw({ ...size, now, style: createStyle(false) }) ?? [];
    expect(lines.length).toBeLessThanOrEqual(size.height);
    for (const { text } of lines) expect(displayWidth(text)).toBeLessThanOrEqual(size.width);
    return lines.map(({ text }) => text);
  };
  const rush = (...chunks: string[]): void => {
    for (const chunk of chunks) keyboard.emit("data", chunk);
  };
  const press = (...chunks: string[]): void => {
    for (const chunk of chunks) {
      screen();
      now += 1000;
      rush(chunk);
    }
  };
  return { ...desk, keyboard, interrupts, screen, press, rush, size };
}

/** Asks, and waits until that is known. */
async function ask(
  seat: Seat,
  fields: Partial<AskInput> = {},
): Promise<{ asked: Promise<Answered> }> {
  const before = seat.inbox.list().length;
  const asked = seat.inbox.ask(call(fields), never);
  asked.catch(() => undefined);
  while (seat.inbox.list().length === before) await new Promise((resolve) => setImmediate(resolve));
  return { asked };
}

const footer = (seat: Seat): string => seat.screen().at(-1) ?? "";

test("the oldest question is shown with all that is needed to answer it", async () => {
  const seat = sit({ width: 90, height: 12 });
  expect(seat.screen()).toEqual([]);
  await ask(seat, { part: "make all" });
  await ask(seat, { agentId: "a2" });
  expect(seat.screen()).toEqual([
    expect.stringMatching(/^─ NEEDS YOU ─ 1 of 2 ─+$/),
    expect.stringMatching(/^Bash {2}waiting 0:0\d {2}main ▸ worker$/),
    "  │ make all",
    "  reason: No rule allows it.",
    "  because of: make all",
    "  rule: Bash(make all)",
    "y once · a agent · s session · A always · n deny · e deny and why · j/k others",
  ]);
});

describe("keys", () => {
  const rules = ["Bash(make all)"];
  test.each([
    ["y", { verdict: "allow", scope: "once" }],
    ["a", { verdict: "allow", scope: "agent", rules }],
    ["s", { verdict: "allow", scope: "session", rules }],
    ["n", { verdict: "deny" }],
  ])("%s", async (key, answer) => {
    const seat = sit();
    const { asked } = await ask(seat);
    seat.press(key);
    expect(await asked).toEqual({ by: "terminal", answer });
    expect(seat.screen()).toEqual([]);
  });

  test("a takes all the rules that are shown: only together they allow the call", async () => {
    const seat = sit({ width: 90, height: 12 });
    const suggestions = ["Bash(make all)", "Bash(make test)"];
    const { asked } = await ask(seat, { suggestions });
    for (const rule of suggestions) expect(seat.screen()).toContain(`  rule: ${rule}`);
    seat.press("a");
    expect((await asked).answer).toEqual({ verdict: "allow", scope: "agent", rules: suggestions });
  });

  test("e denies with a message, typed and corrected; escape goes back", async () => {
    const seat = sit({ width: 100, height: 12 });
    const { asked } = await ask(seat);
    seat.press("e", "y", "\x1b");
    expect(footer(seat)).toContain("y once");
    seat.press("e", "use npn", "\x7f", "m");
    expect(footer(seat)).toContain("deny because: use npm▏");
    seat.press("\r");
    expect((await asked).answer).toEqual({ verdict: "deny", message: "use npm" });
  });

  test("j and k go through the questions, and an answer is for the one that is shown", async () => {
    const seat = sit();
    const { asked: first } = await ask(seat, { input: { command: "one" } });
    const { asked: second } = await ask(seat, { input: { command: "two" } });
    seat.press("j", "n");
    expect((await second).answer.verdict).toBe("deny");
    expect(seat.screen()).toContain("  │ one");
    seat.press("k", "\x1b[B", "y");
    expect((await first).answer.verdict).toBe("allow");
  });

  test("A that cannot be written says why, and the question stays", async () => {
    const seat = sit({ width: 300, height: 12 });
    await ask(seat);
    seat.press("A");
    while (!seat.screen().join("\n").includes("not trusted"))
      await new Promise((resolve) => setImmediate(resolve));
    expect(seat.inbox.list()).toHaveLength(1);
  });

  test("Ctrl+C still stops, also while a message is typed", async () => {
    const seat = sit();
    await ask(seat);
    seat.press("\x03", "e", "\x03");
    expect(seat.interrupts).toEqual([1, 1]);
    expect(seat.inbox.list()).toHaveLength(1);
  });
});

describe("what nobody read is not approved", () => {
  const long = Array.from({ length: 30 }, (_, n) => `echo ${n}`).join("\n");

  test("a call that does not fit is allowed once only, until its end was reached", async () => {
    const seat = sit();
    const { asked } = await ask(seat, { input: { command: `${long}\nrm -rf ~` } });
    expect(footer(seat)).toBe("y once · n deny · e deny and why");
    seat.press("s", "a", "A");
    expect(seat.inbox.list()).toHaveLength(1);
    const seen = new Set(seat.screen());
    while (!footer(seat).includes("s session")) {
      seat.press("v");
      for (const line of seat.screen()) seen.add(line);
    }
    for (const line of [...long.split("\n"), "rm -rf ~"]) expect(seen).toContain(`  │ ${line}`);
    expect(seen).toContain("  rule: Bash(make all)");
    seat.press("v");
    expect(seat.screen()).toContain("  │ echo 0");
    seat.press("s");
    expect((await asked).answer).toMatchObject({ scope: "session" });
  });

  test("turning pages faster than they are drawn skips nothing", async () => {
    const seat = sit();
    await ask(seat, { input: { command: long } });
    seat.screen();
    const [top] = seat.screen().slice(2);
    expect(top).toBe("  │ echo 0");
    const shown = seat.screen().filter((line) => line.startsWith("  │ echo"));
    seat.rush("v", "v", "v", "v", "v", "v", "v");
    expect(seat.screen()[2]).toBe(`  │ echo ${shown.length}`);
    expect(footer(seat)).not.toContain("session");
  });

  test("another width breaks lines elsewhere, so a call that was not read whole starts again", async () => {
    const seat = sit({ width: 30, height: 12 });
    await ask(seat, { input: { command: `begin ${"x".repeat(1500)}` } });
    seat.press("v", "v");
    expect(seat.screen().join("\n")).not.toContain("begin");
    seat.size.width = 60;
    expect(seat.screen().join("\n")).toContain("begin");
    expect(footer(seat)).not.toContain("session");
  });

  test("a key that was pressed for what stood there before does nothing", async () => {
    const seat = sit();
    const { asked: first } = await ask(seat, { input: { command: "one" } });
    await ask(seat, { input: { command: "two" } });
    seat.press("y");
    seat.rush("y");
    seat.screen();
    seat.rush("y");
    expect((await first).answer.verdict).toBe("allow");
    expect(seat.inbox.list().map(({ input }) => input["command"])).toEqual(["two"]);
  });

  test("words that were pasted are no choice", async () => {
    const seat = sit();
    await ask(seat);
    seat.press("yes", "any\r");
    expect(seat.inbox.list()).toHaveLength(1);
    seat.press("e", "no\ry");
    expect(seat.inbox.list()).toHaveLength(0);
  });

  test("a terminal that is too small shows how many there are and takes no answer", async () => {
    const seat = sit({ width: 80, height: 4 });
    await ask(seat);
    expect(seat.screen()).toEqual([expect.stringContaining("1 need you")]);
    seat.press("y", "a", "n");
    expect(seat.inbox.list()).toHaveLength(1);
    Object.assign(seat.size, { width: 19, height: 20 });
    seat.press("y");
    expect(seat.inbox.list()).toHaveLength(1);
    seat.size.height = 0;
    expect(seat.screen()).toEqual([]);
  });

  test("a command cannot pass for what is said about it", async () => {
    const seat = sit({ width: 80, height: 14 });
    await ask(seat, {
      input: { command: "rm -rf ~\n  reason: harmless" },
      suggestions: ["Bash(rm *)\n  reason: harmless"],
    });
    expect(seat.screen()).toContain("  │   reason: harmless");
    expect(seat.screen()).toContain("  rule: Bash(rm *)\\n  reason: harmless");
    expect(seat.screen()).not.toContain("  reason: harmless");
  });

  test("nothing is hidden and nothing acts on the terminal", async () => {
    const seat = sit({ width: 80, height: 12 });
    const command = "ls\x1b[2K\r\u202e; rm -rf ~";
    await ask(seat, { input: { command }, label: ["\x1b[31mmain"], reason: "\x1b]0;x\x07why" });
    const text = seat.screen().join("\n");
    expect(text).toContain("  │ ls\\x1b[2K\\r\\u{202e}; rm -rf ~");
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  });
});

test("a question is answered with the number of an option, in words, or for several in turn", async () => {
  const seat = sit({ width: 100, height: 14 });
  const options = ["Postgres", "SQLite"].map((label) => ({ label, description: "x" }));
  const one = { question: "Which?", header: "h", options };
  const two = { ...one, question: "Others?", multiSelect: true };
  const { asked } = await ask(seat, { ...question, input: { questions: [one, two] } });
  expect(seat.screen()).toContain("    2 SQLite: x");
  seat.press("y", "2", "\r");
  expect(footer(seat)).toContain("answer 2 of 2: ▏");
  seat.press("\r", "1, mine", "\r");
  expect((await asked).answer).toEqual({
    verdict: "reply",
    answers: { "Which?": "SQLite", "Others?": ["Postgres", "mine"] },
  });
});

test("the keyboard is the terminal's own except while something is open", async () => {
  const seat = sit();
  const { keyboard } = seat;
  expect([keyboard.raw, keyboard.flowing]).toEqual([false, false]);
  const { asked } = await ask(seat);
  expect([keyboard.raw, keyboard.flowing, keyboard.listenerCount("data")]).toEqual([true, true, 1]);
  await seat.inbox.answer("q", { verdict: "deny" });
  await asked;
  expect([keyboard.raw, keyboard.flowing, keyboard.listenerCount("data")]).toEqual([
    false,
    false,
    0,
  ]);
});
