import { execFileSync } from "node:child_process";
import { ownProgram } from "../../platform/own-programs.ts";
import { statFields } from "../../processes/process-start.ts";
import { keysOf, type Key } from "./keys.ts";
import type { LiveView, Panel } from "../views/live-view.ts";
import type { Line } from "./width.ts";

/** The part of `tty.ReadStream` that is used. */
export interface KeyStream {
  setRawMode(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  on(event: "error", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Buffer | string) => void): unknown;
}

/** Something that is drawn below the block and hears the keys while it is. */
export interface Layer extends Panel {
  /** Keys that came together, in their order; never Ctrl+C. */
  press(keys: readonly Key[]): void;
  /** A person is in the midst of a line: nothing is laid over it until they are done. */
  readonly isTyping: boolean;
}

export interface KeyLayersOptions {
  view: Pick<LiveView, "show" | "release">;
  input: KeyStream;
  /** In raw mode the terminal sends no signals for Ctrl+C and Ctrl+Z. */
  interrupt?: () => void;
  suspend?: () => void;
  isForeground?: () => boolean;
}

/**
 * Whoever is drawn below the block hears the keys, and nobody else: so no key is taken for the answer to something that a
 * person does not see. The one that came last lies on top. The terminal is in raw mode while there is any; disposing gives
 * it back.
 */
export class KeyLayers implements Panel, Disposable {
  readonly #options: KeyLayersOptions;
  #layers: Layer[] = [];
  #top: Layer | undefined;
  #reading = false;
  readonly #onData = (chunk: Buffer | string): void => this.#press(keysOf(String(chunk)));
  readonly #restore = (): void => this.#listen(false);
  readonly #onContinue = (): void => this.update();

  constructor(options: KeyLayersOptions) {
    this.#options = options;
    process.once("exit", this.#restore).on("SIGCONT", this.#onContinue);
    // A terminal that was closed cannot be read; its signal ends the run.
    options.input.on("error", () => undefined);
  }

  /** Lays it on top, unless it lies there already, and has it drawn. */
  open(layer: Layer): void {
    if (!this.#layers.includes(layer)) this.#layers.push(layer);
    this.update();
  }

  /** Lays it below all others. */
  openBelow(layer: Layer): void {
    this.#layers.unshift(layer);
    this.update();
  }

  close(layer: Layer): void {
    this.#layers = this.#layers.filter((other) => other !== layer);
    this.update();
  }

  /** Something about a layer has changed. */
  update(): void {
    const current = this.#top;
    const stays = current?.isTyping === true && this.#layers.includes(current);
    this.#top = stays ? current : this.#layers.at(-1);
    this.#listen(this.#top !== undefined);
    this.#options.view.show(this.#top === undefined ? null : this);
  }

  draw(size: Parameters<Panel["draw"]>[0]): Line[] {
    // Nobody tells a job that it is in the foreground now.
    if (!this.#reading) this.#listen(this.#top !== undefined);
    return this.#top?.draw(size) ?? [];
  }

  [Symbol.dispose](): void {
    this.#layers = [];
    this.update();
    process.off("exit", this.#restore).off("SIGCONT", this.#onContinue);
  }

  #press(keys: readonly Key[]): void {
    if (keys.includes("ctrl-c")) {
      (this.#options.interrupt ?? interrupt)();
      return;
    }
    if (keys.includes("ctrl-z")) {
      this.#listen(false);
      this.#options.view.release();
      (this.#options.suspend ?? suspend)();
      return;
    }
    this.#top?.press(keys);
    this.update();
  }

  #listen(on: boolean): void {
    const { input, isForeground = inForeground } = this.#options;
    if (on === this.#reading || (on && !isForeground())) return;
    this.#reading = on;
    try {
      input.setRawMode(on);
    } catch {
      // The terminal is gone; its signal ends the run.
    }
    if (on) {
      input.on("data", this.#onData);
      input.resume();
    } else {
      input.off("data", this.#onData);
      input.pause();
    }
  }
}

export function interrupt(): void {
  process.kill(process.pid, "SIGINT");
}

/** The whole job, as the terminal does: whoever started us may wait for us. */
function suspend(): void {
  process.kill(0, "SIGTSTP");
}

/**
 * Whether the terminal is ours to read. The system stops a job in the background (`retinue run … &`) that reads it or
 * changes its mode.
 */
function inForeground(): boolean {
  if (process.platform === "linux") {
    const fields = statFields("self");
    const [group, owner] = [Number(fields[2]), Number(fields[5])];
    // Without a terminal of its own, or one in another namespace, nobody stops it.
    return !(owner > 0) || owner === group;
  }
  try {
    const args = ["-o", "stat=", "-p", String(process.pid)];
    return execFileSync(ownProgram("ps").file, args, {
      encoding: "utf8",
      timeout: 2000,
      stdio: "pipe",
    }).includes("+");
  } catch {
    return true;
  }
}
