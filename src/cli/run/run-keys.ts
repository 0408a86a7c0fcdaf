import { errorMessage } from "../../contract/errors.ts";
import type { AgentId } from "../../contract/ids.ts";
import type { Manager } from "../../manager.ts";
import { plural } from "../terminal/format.ts";
import { interrupt, type KeyLayers, type KeyLayer } from "../terminal/key-layers.ts";
import { editLine, type Key } from "../terminal/keys.ts";
import type { Panel } from "../views/live-view.ts";
import { hasEnded, isBusy } from "../../events/agent-record.ts";
import type { AgentView, RunState } from "../views/run-state.ts";
import { compose, displayWidth, type MeasuredLine } from "../terminal/width.ts";

export interface RunKeysOptions {
  manager: Pick<Manager, "background" | "send">;
  /** The state that the view shows. */
  run: RunState;
  /** The agent that is watched. */
  main: AgentId;
  keys: Pick<KeyLayers, "openBelow" | "close" | "update">;
  /** Prints a permanent line. */
  say: (line: string) => void;
  /** The effect of the first Ctrl+C; null: it only leaves, and no key stops anything. */
  interrupt?: (() => void) | null;
  now?: () => number;
}

/** Milliseconds in which a second press confirms; a later one asks again. */
const confirmWithin = 5000;

/**
 * The keys of a run: they move awaited agents to the background, send the main agent a message, and stop everything.
 * One line below the block names them.
 */
export class RunKeys implements KeyLayer, Disposable {
  readonly #options: RunKeysOptions;
  readonly #now: () => number;
  /** The message that is being written. */
  #draft: string | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #stopping = false;

  constructor(options: RunKeysOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    options.keys.openBelow(this);
  }

  /** The run is being stopped: nothing is left to steer, and the next Ctrl+C ends it at once. */
  stopping(): void {
    this.#stopping = true;
    this.#draft = null;
    this.#options.keys.update();
  }

  get isTyping(): boolean {
    return this.#draft !== null;
  }

  draw({ width, height, style }: Parameters<Panel["draw"]>[0]): MeasuredLine[] {
    // A terminal this low needs its lines for the block.
    if (height < 4) return [];
    if (this.#stopping) return [];
    if (this.#draft !== null) return [compose([{ text: this.#line(this.#draft, width) }], width)];
    if (this.#isAsking())
      return [compose([{ text: this.#whatDies(), paint: style.yellow }], width)];
    const last = this.#options.interrupt === null ? "Ctrl+C leave" : "x stop";
    return [compose([{ text: `${hint} · ${last}`, paint: style.dim }], width)];
  }

  press(keys: readonly Key[]): void {
    if (this.#stopping) return;
    if (this.#draft !== null) return this.#type(keys);
    const [key, ...more] = keys;
    // Several characters at once were pasted or typed ahead: they are words, not a choice.
    if (key === undefined || more.length > 0) return;
    const wasAsking = this.#isAsking();
    this.#askedAt = Number.NEGATIVE_INFINITY;
    if (key === "ctrl-b") void this.#background();
    else if (key === "m") this.#draft = "";
    else if (key === "x") this.#stop(wasAsking);
  }

  [Symbol.dispose](): void {
    this.#options.keys.close(this);
  }

  #stop(isSure: boolean): void {
    const { interrupt: stop = interrupt } = this.#options;
    if (stop === null) return;
    if (isSure) stop();
    else this.#askedAt = this.#now();
  }

  #isAsking(): boolean {
    return this.#now() - this.#askedAt <= confirmWithin;
  }

  #whatDies(): string {
    const living = [...this.#options.run.agents.values()].filter(
      (agent) => !hasEnded(agent.record),
    );
    const names = living.map(({ label }) => label).join(", ");
    return `x again to stop ${plural(living.length, "agent")} and what they started: ${names}`;
  }

  /** The line being typed, cut at its start: the end of the draft stays visible. */
  #line(draft: string, width: number): string {
    const [before, after] = [`to ${this.#name()}: `, "▏ enter sends, esc goes back"];
    const room = width - displayWidth(before) - displayWidth(after);
    let shown = Array.from(draft);
    while (shown.length > 1 && displayWidth(shown.join("")) > room) shown = shown.slice(1);
    return before + shown.join("") + after;
  }

  #type(keys: readonly Key[]): void {
    for (const [index, key] of keys.entries()) {
      // Lines that were pasted together are one message.
      const isPasted = key === "enter" && index < keys.length - 1;
      const edited = editLine(this.#draft ?? "", isPasted ? " " : key);
      if (typeof edited === "object") {
        this.#draft = edited.text;
        continue;
      }
      const text = this.#draft?.trim() ?? "";
      this.#draft = null;
      if (edited === "submit" && text !== "") void this.#send(text);
      return;
    }
  }

  async #send(text: string): Promise<void> {
    const { manager, main, say } = this.#options;
    try {
      const { messageId } = await manager.send(main, text);
      say(`Sent to ${this.#name()} (${messageId}); it reads it at its next turn.`);
    } catch (error) {
      say(`Not sent: ${errorMessage(error)}`);
    }
  }

  /** Moves agents to the background; the view shows each move. */
  async #background(): Promise<void> {
    const { manager, say } = this.#options;
    const awaited = this.#awaited();
    if (awaited.length === 0) say(`${this.#name()} waits for no agent: nothing to move.`);
    for (const { record, label } of awaited) {
      try {
        await manager.background(record.id);
      } catch (error) {
        say(`${label} stays in the foreground: ${errorMessage(error)}`);
      }
    }
  }

  #awaited(): AgentView[] {
    const { run, main } = this.#options;
    return [...run.agents.values()].filter(
      ({ record }) => record.parentId === main && !record.background && isBusy(record),
    );
  }

  #name(): string {
    const { run, main } = this.#options;
    return run.agents.get(main)?.label ?? "the agent";
  }
}

const hint = "Ctrl+B background · m message";
