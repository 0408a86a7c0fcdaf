import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agent, shop as emptyShop, type Shop } from "./support/repository.ts";
import { onTerminal, type Terminal } from "./support/terminal.ts";
import { untilExists } from "./support/until.ts";
import { bin } from "./support/bin.ts";

const waits = (file: string): string => `touch ${file}; while [ ! -e go ]; do sleep 0.02; done`;
const scenario = `
turns:
  - { agent: main, turn: 1, reply: [
      { call: Agent, input: { description: a, prompt: a, subagent_type: quiet } },
      { call: Agent, input: { description: b, prompt: b, subagent_type: quiet } }] }
  - { agent: main, turn: 2, reply: [{ call: Bash, input: { command: "${waits("alone")}" } }] }
  - { agent: main, repeat: true, reply: "told {{ last }}" }
  - { agent: quiet, turn: 1, task: /^a/, reply: [{ call: Bash, input: { command: "${waits("begun-a")}" } }] }
  - { agent: quiet, turn: 1, task: /^b/, reply: [{ call: Bash, input: { command: "${waits("begun-b")}" } }] }
  - { agent: quiet, turn: 2, reply: "gold" }
`;

const shop = (): Shop =>
  emptyShop({
    "s.yaml": scenario,
    ".claude/agents/quiet.md": agent("name: quiet\ndescription: works\ntools: Bash"),
  });

interface Seat extends Terminal {
  has: (file: string) => Promise<void>;
  go: () => void;
}

const command = (more = ""): string =>
  `${process.execPath} ${bin} run --rehearse s.yaml --allowedTools Bash ${more} go`;

/** A command on a terminal of its own. */
function sit({ cwd, config }: Shop, run = command()): Seat {
  return {
    ...onTerminal(run, { cwd, env: { CLAUDE_CONFIG_DIR: config, NO_COLOR: "1" } }),
    has: (file) => untilExists(join(cwd, file)),
    go: () => writeFileSync(join(cwd, "go"), ""),
  };
}

const onLinux = test.skipIf(process.platform !== "linux");

onLinux("Ctrl+B lets the main agent go on, and a message reaches it", async () => {
  const seat = sit(shop());
  await Promise.all([seat.has("begun-a"), seat.has("begun-b")]);
  await seat.sees("Ctrl+B background · m message · x stop");
  seat.type("\x02");
  await seat.has("alone");
  await seat.sees(/main ▸ quiet {2}continues in the background/);
  await seat.sees(/main ▸ quiet#2 {2}continues in the background/);
  await seat.sees(/ bg Bash touch begun-a/);
  seat.type("m");
  await seat.sees("to main: ▏");
  seat.type("look at the tests");
  await seat.sees("to main: look at the tests▏");
  seat.type("\r");
  await seat.sees(/Sent to main \(\S+\); it reads it at its next turn\./);
  seat.go();
  expect(await seat.ended).toBe(0);
  expect(seat.shown()).toContain("main  has read: look at the tests");
});

onLinux("x asks, and pressed again stops what it named, as Ctrl+C does", async () => {
  const seat = sit(shop());
  await Promise.all([seat.has("begun-a"), seat.has("begun-b")]);
  await seat.sees("x stop");
  seat.type("x");
  await seat.sees(/x again to stop 3 agents and what they started: main, quiet, quiet#2/);
  seat.type("x");
  expect(await seat.ended).toBe(130);
  expect(seat.shown()).toContain("Stopping. Press Ctrl+C again to end at once.");
});

onLinux("Ctrl+C stops a run whose keys are read", async () => {
  const seat = sit(shop());
  await seat.has("begun-a");
  await seat.sees("x stop");
  seat.type("\x03");
  expect(await seat.ended).toBe(130);
});

onLinux("Ctrl+Z suspends the run, and it goes on with its keys when it is continued", async () => {
  const run = `bash -mc 'stty -g > before; ${command()}; echo suspended; stty -g > after; fg; echo ended $?'`;
  const seat = sit(shop(), run);
  await seat.has("begun-a");
  await seat.sees("x stop");
  seat.type("\x1a");
  await seat.sees("suspended");
  await seat.has("after");
  // Raw again: without it Ctrl+B would be a character like any other.
  await seat.pressUntil("\x02", () => seat.shown().includes("continues in the background"));
  seat.go();
  await seat.sees("ended 0");
  await seat.ended;
});

onLinux(
  "a run that the shell started in the background is not stopped by the terminal",
  async () => {
    const seat = sit(shop(), `bash -mc '${command()} & wait $!; echo ended $?'`);
    await seat.has("begun-a");
    seat.go();
    await seat.sees("ended 0");
    await seat.ended;
  },
);

onLinux(
  "whoever is attached has the keys too, over the socket, and Ctrl+C only leaves",
  async () => {
    const work = shop();
    const run = [
      "run",
      "-d",
      "--name",
      "far",
      "--rehearse",
      "s.yaml",
      "--allowedTools",
      "Bash",
      "go",
    ];
    expect(work.retinue(...run).code).toBe(0);
    onTestFinished(() => void work.retinue("stop", "--all"));
    const seat = sit(work, `${process.execPath} ${bin} attach far`);
    await Promise.all([seat.has("begun-a"), seat.has("begun-b")]);
    await seat.sees("Ctrl+B background · m message · Ctrl+C leave");
    await seat.sees(/└ \S b /);
    seat.type("\x02");
    await seat.has("alone");
    await seat.sees(/far ▸ quiet {2}continues in the background/);
    await seat.sees(/└ \S b .* bg Bash touch begun-b/);
    seat.type("m");
    await seat.sees("▏ enter sends");
    seat.type("hello");
    seat.type("\r");
    await seat.sees(/Sent to \S+ \(\S+\); it reads it at its next turn\./);
    seat.type("\x03");
    await seat.ended;
    expect(seat.shown()).toMatch(/retinue: left\. Agent \S+ keeps running/);
    seat.go();
    expect(work.retinue("wait", "far").code).toBe(0);
    expect(work.retinue("logs", "far").stdout).toContain("hello");
  },
);
