import { execFileSync } from "node:child_process";
import { ownProgram } from "../../platform/own-programs.ts";
import { statFields } from "../../processes/process-start.ts";
import { keysOf, type Key } from "./keys.ts";
import type { LiveView, Panel } from "../views/live-view.ts";
import type { MeasuredLine } from "./width.ts";

/** The part of `tty.ReadStream` that is used. */
export interface KeyStream {
  setRawMode(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  on(event: "error", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Buffer | string) => void): unknown;
}

/** A panel below the block that gets the keys while it is drawn. */
export interface KeyLayer extends Panel {
  /** Keys that came together, in their order; never Ctrl+C. */
  press(keys: readonly Key[]): void;
  /** Whether a person is typing a line: no other layer is put on top until they are done. */
  readonly isTyping: boolean;
}

export interface KeyLayersOptions {
  view: Pick<LiveView, "show" | "release">;
  input: KeyStream;
  /** Handlers for Ctrl+C and Ctrl+Z, for which the terminal sends no signals in raw mode. */
  interrupt?: () => void;
  suspend?: () => void;
  isForeground?: () => boolean;
}

/**
 * Gives keys only to the layer drawn below the block. So no key answers a question that a person does not see. The last
 * layer opened is on top. The terminal is in raw mode while there is any layer; disposing restores it.
 */
export class KeyLayers implements Panel, Disposable {
  readonly #options: KeyLayersOptions;
  #layers: KeyLayer[] = [];
  #top: KeyLayer | undefined;
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

  /** Puts a layer on top, unless it is there already, and draws it. */
  open(layer: KeyLayer): void {
    if (!this.#layers.includes(layer)) this.#layers.push(layer);
    this.update();
  }

  /** Puts a layer below all others. */
  openBelow(layer: KeyLayer): void {
    this.#layers.unshift(layer);
    this.update();
  }

  close(layer: KeyLayer): void {
    this.#layers = this.#layers.filter((other) => other !== layer);
    this.update();
  }

  /** Redraws after a change of a layer. */
  update(): void {
    const current = this.#top;
    const stays = current?.isTyping === true && this.#layers.includes(current);
    this.#top = stays ? current : this.#layers.at(-1);
    this.#listen(this.#top !== undefined);
    this.#options.view.show(this.#top === undefined ? null : this);
  }

  draw(size: Parameters<Panel["draw"]>[0]): MeasuredLine[] {
    // A job gets no signal when it comes to the foreground.
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

/** Suspends the whole job, as the terminal does: the process that started us may wait for us. */
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
    // The system does not stop a job without a terminal, or with one in another namespace.
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
