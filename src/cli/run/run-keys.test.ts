import { expect, onTestFinished, test } from "vitest";
import { RetinueError } from "../../contract/errors.ts";
import type { AgentEventBody, AgentSummary } from "../../events/event.ts";
import type { AgentId, SessionId } from "../../contract/ids.ts";
import { agentSummary, figures } from "../../events/events-fixture.ts";
import { Keyboard } from "../terminal/keyboard-fixture.ts";
import { KeyLayers } from "../terminal/key-layers.ts";
import type { Panel } from "../views/live-view.ts";
import { RunKeys } from "./run-keys.ts";
import { RunState } from "../views/run-state.ts";
import { createStyle } from "../terminal/style.ts";

const main = "m" as AgentId;

function sit(options: { width?: number; interrupt?: null } = {}) {
  const { width = 90 } = options;
  const run = new RunState();
  const tell = (id: string, ...bodies: AgentEventBody[]): void => {
    for (const body of bodies)
      run.apply({ agentId: id as AgentId, sessionId: "s" as SessionId, at: 0, ...body });
  };
  const child = (id: string, over: Partial<AgentSummary> = {}): void =>
    tell(id, { type: "agent-start", agent: agentSummary({ type: id, parentId: main, ...over }) });
  tell("m", { type: "agent-start", agent: agentSummary() });
  const [keyboard, said, did] = [new Keyboard(), [] as string[], [] as string[]];
  let panel: Panel | null = null;
  let now = 0;
  let refusal: Error | undefined;
  const keys = new KeyLayers({
    view: { show: (shown) => void (panel = shown), release: () => undefined },
    input: keyboard,
    isForeground: () => true,
  });
  const manager = {
    background: (id: string) => {
      if (refusal !== undefined) return Promise.reject(refusal);
      did.push(`background ${id}`);
      return Promise.resolve({} as never);
    },
    send: (id: string, text: string) => {
      if (refusal !== undefined) return Promise.reject(refusal);
      did.push(`send ${id}: ${text}`);
      return Promise.resolve({ messageId: "m1", agentId: main });
    },
  };
  const runKeys = new RunKeys({
    manager,
    run,
    main,
    keys,
    say: (line) => said.push(line),
    interrupt: options.interrupt === null ? null : () => did.push("interrupt"),
    now: () => now,
  });
  onTestFinished(() => keys[Symbol.dispose]());
  const screen = (height = 10): string[] => {
    const size = { width, height, now, style: createStyle(false) };
    return panel?.draw(size).map(({ text }) => text) ?? [];
  };
  const press = async (...chunks: string[]): Promise<void> => {
    for (const chunk of chunks) keyboard.emit("data", chunk);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const wait = (milliseconds: number): void => void (now += milliseconds);
  const refuse = (error: Error): void => void (refusal = error);
  return { runKeys, tell, child, did, said, screen, press, wait, refuse };
}

test("the keys are named in one line, which a low terminal does without", () => {
  const { screen } = sit();
  expect(screen()).toEqual(["Ctrl+B background · m message · x stop"]);
  expect(screen(3)).toEqual([]);
});

test("Ctrl+B moves every child that the main agent waits for, and no other", async () => {
  const { child, tell, did, said, press } = sit();
  await press("\x02");
  expect([did, said]).toEqual([[], ["main waits for no agent: nothing to move."]]);
  child("one");
  child("two");
  child("behind", { background: true });
  child("moved");
  tell("moved", { type: "agent-background" });
  child("done");
  tell("done", { type: "agent-end", result: { ...figures(), state: "completed", content: "" } });
  child("deeper", { parentId: "one" as AgentId });
  await press("\x02");
  expect(did).toEqual(["background one", "background two"]);
  expect(said).toHaveLength(1);
});

test("a child that cannot be moved is named with the reason", async () => {
  const { child, said, press, refuse } = sit();
  child("one");
  refuse(new RetinueError("unsupported", "Work in the background is switched off."));
  await press("\x02");
  expect(said).toEqual(["one stays in the foreground: Work in the background is switched off."]);
});

test("x asks once, names what dies, and then does what Ctrl+C does", async () => {
  const { child, tell, did, screen, press, wait } = sit();
  child("one");
  child("done");
  tell("done", { type: "agent-end", result: { ...figures(), state: "completed", content: "" } });
  await press("x");
  expect(screen()).toEqual(["x again to stop 2 agents and what they started: main, one"]);
  await press("j", "x");
  expect(did).toEqual([]);
  wait(6000);
  expect(screen()).toEqual(["Ctrl+B background · m message · x stop"]);
  await press("x");
  expect(did).toEqual([]);
  await press("x");
  expect(did).toEqual(["interrupt"]);
});

test("once the run is being stopped no key does anything: the next signal would end it at once", async () => {
  const { runKeys, did, said, screen, press } = sit();
  await press("m", "hello");
  runKeys.stopping();
  expect(screen()).toEqual([]);
  await press("x", "x", "\x02", "m", "text", "\r");
  expect([did, said]).toEqual([[], []]);
});

test("whoever only looks in stops nothing: x is no key then", async () => {
  const { did, screen, press } = sit({ interrupt: null });
  expect(screen()).toEqual(["Ctrl+B background · m message · Ctrl+C leave"]);
  await press("x", "x");
  expect(did).toEqual([]);
  expect(screen()).toEqual(["Ctrl+B background · m message · Ctrl+C leave"]);
});

test("m writes a line to the main agent; enter sends it and there is a receipt, esc leaves", async () => {
  const { did, said, screen, press } = sit();
  await press("m", "no", "\x1b");
  expect(screen()).toEqual(["Ctrl+B background · m message · x stop"]);
  await press("m", "look at x", "y", "\x7f", " too");
  expect(screen()).toEqual(["to main: look at x too▏ enter sends, esc goes back"]);
  await press("\r");
  expect(did).toEqual(["send m: look at x too"]);
  expect(said).toEqual(["Sent to main (m1); it reads it at its next turn."]);
  await press("m", "\r");
  expect(did).toHaveLength(1);
});

test("lines that were pasted are one message, and a long one shows its end", async () => {
  const { did, screen, press } = sit({ width: 60 });
  await press("m", `${"a".repeat(80)}\nthe end`);
  expect(screen()[0]).toMatch(/^to main: a+ the end▏ enter sends, esc goes back$/);
  await press("\r");
  expect(did).toEqual([`send m: ${"a".repeat(80)} the end`]);
});

test("a message that cannot be sent says why; what was typed ahead is no choice", async () => {
  const { did, said, press, refuse } = sit();
  await press("xx", "mx");
  expect([did, said]).toEqual([[], []]);
  refuse(new RetinueError("agent_ended", "Agent m is completed and reads no more messages."));
  await press("m", "hi", "\r");
  expect(said).toEqual(["Not sent: Agent m is completed and reads no more messages."]);
});
