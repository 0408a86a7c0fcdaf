import { expect, onTestFinished, test } from "vitest";
import { Keyboard } from "./keyboard-fixture.ts";
import { KeyLayers, type KeyLayersOptions, type KeyLayer } from "./key-layers.ts";
import type { Panel } from "../views/live-view.ts";
import { createStyle } from "./style.ts";
import { compose } from "./width.ts";

interface TestLayer extends KeyLayer {
  heard: string[];
  isTyping: boolean;
}

function layer(name: string): TestLayer {
  const heard: string[] = [];
  return {
    heard,
    isTyping: false,
    draw: ({ width }) => [compose([{ text: name }], width)],
    press: (keys) => void heard.push(...keys),
  };
}

function sit(options: Partial<KeyLayersOptions> = {}) {
  const keyboard = new Keyboard();
  const did: string[] = [];
  let panel: Panel | null = null;
  const layers = new KeyLayers({
    view: { show: (shown) => void (panel = shown), release: () => void did.push("release") },
    input: keyboard,
    isForeground: () => true,
    ...options,
  });
  onTestFinished(() => layers[Symbol.dispose]());
  const size = { width: 40, height: 10, now: 0, style: createStyle(false) };
  const screen = (): string[] => panel?.draw(size).map(({ text }) => text) ?? [];
  const press = (chunk: string): boolean => keyboard.emit("data", chunk);
  return { keyboard, layers, screen, press, did };
}

test("only what is drawn hears the keys, and the terminal is its own again when nothing is", () => {
  const { keyboard, layers, screen, press } = sit();
  const [run, question] = [layer("run"), layer("question")];
  expect([keyboard.raw, screen()]).toEqual([false, []]);
  layers.open(question);
  layers.openBelow(run);
  expect([keyboard.raw, screen()]).toEqual([true, ["question"]]);
  press("y");
  layers.close(question);
  expect(screen()).toEqual(["run"]);
  press("m");
  expect([run.heard, question.heard]).toEqual([["m"], ["y"]]);
  layers.close(run);
  expect([keyboard.raw, keyboard.flowing, keyboard.listenerCount("data")]).toEqual([
    false,
    false,
    0,
  ]);
});

test("a question does not come between a person and the line that they are writing", () => {
  const { layers, screen, press } = sit();
  const [run, question] = [layer("run"), layer("question")];
  layers.openBelow(run);
  run.isTyping = true;
  layers.open(question);
  expect(screen()).toEqual(["run"]);
  press("y");
  run.isTyping = false;
  layers.update();
  expect(screen()).toEqual(["question"]);
  expect([run.heard, question.heard]).toEqual([["y"], []]);
});

test("Ctrl+C and Ctrl+Z are what they are without raw mode, and Ctrl+Z gives the terminal back first", () => {
  const { layers, press, keyboard, screen, did } = sit({
    interrupt: () => did.push("interrupt"),
    suspend: () => did.push(`suspend raw=${String(keyboard.raw)}`),
  });
  const run = layer("run");
  layers.openBelow(run);
  press("\x03");
  press("\x1a");
  expect(did).toEqual(["interrupt", "release", "suspend raw=false"]);
  expect(run.heard).toEqual([]);
  // It goes on, in the foreground.
  screen();
  expect(keyboard.raw).toBe(true);
});

test("a job in the background leaves the terminal alone until it is brought to the foreground", () => {
  let isForeground = false;
  const { keyboard, layers, screen } = sit({ isForeground: () => isForeground });
  layers.openBelow(layer("run"));
  expect([screen(), keyboard.raw, keyboard.listenerCount("data")]).toEqual([["run"], false, 0]);
  isForeground = true;
  expect([screen(), keyboard.raw, keyboard.listenerCount("data")]).toEqual([["run"], true, 1]);
});
