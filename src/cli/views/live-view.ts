import { totalOf, type AgentRecord } from "../../events/agent-record.ts";
import type { AgentEvent } from "../../events/event.ts";
import { systemClock, type Clock } from "../../platform/clock.ts";
import { totalTokens } from "../../contract/message.ts";
import { formatDenial, formatFigures } from "../terminal/format.ts";
import { drawBlock, who } from "./live-rows.ts";
import { elapsed, RunState, type AgentView } from "./run-state.ts";
import { plain } from "../terminal/sanitize.ts";
import { steeringLine } from "./steering-lines.ts";
import { createStyle, noPaint, statusGlyphs, type Paint, type Style } from "../terminal/style.ts";
import { wrap, type MeasuredLine } from "../terminal/width.ts";

/**
 * A run on a terminal: a block of lines that is redrawn in place, one row per agent, with permanent lines above it.
 *
 * Between frames the cursor rests at the start of the line below the block. A frame is one write, inside a
 * synchronised update, and rewrites only the lines that changed; nothing is erased before it is overwritten. Lines are
 * one column narrower than the terminal, because erasing to the end of a full line eats its last character, and
 * automatic wrapping is off while they are written, because terminals disagree about the width of some emoji.
 *
 * What no longer fits folds away, ended agents first; the summary of an agent becomes a permanent line when it does.
 */
export class LiveView {
  readonly run: RunState = new RunState();
  readonly #stream: TerminalStream;
  readonly #clock: Clock;
  readonly #style: Style;
  readonly #scripted: boolean;
  #painted: MeasuredLine[] = [];
  #columns = 0;
  #permanent: { text: string; paint: Paint }[] = [];
  readonly #folded = new WeakSet<AgentView>();
  #panel: Panel | null = null;
  #phase: "new" | "drawing" | "stopped" = "new";
  #lastFrameAt = Number.NEGATIVE_INFINITY;
  #next: { at: number; cancel: () => void } | null = null;
  readonly #onResize = (): void => this.#request(this.#clock.now());
  readonly #restoreCursor = (): void => void this.#stream.write(showCursor);

  constructor(options: LiveViewOptions) {
    this.#stream = options.stream;
    this.#clock = options.clock ?? systemClock;
    this.#style = options.style ?? createStyle(false);
    this.#scripted = options.scripted ?? false;
    this.#stream.on?.("resize", this.#onResize);
  }

  apply(event: AgentEvent): void {
    const agent = this.run.apply(event);
    if (agent !== undefined && event.type === "permission-deny") {
      const denial = formatDenial(event.call, event.reason);
      this.log(`${this.run.path(agent)}  ${denial}`, this.#style.yellow);
    }
    // The row of an agent shows its end.
    const isTold = event.type === "prompt" && event.source === "notification";
    const steered = agent === undefined || isTold ? null : steeringLine(event, this.run);
    if (agent !== undefined && steered !== null) this.log(`${this.run.path(agent)}  ${steered}`);
    this.#request(this.#clock.now());
  }

  /** Shows an agent that runs already. */
  add(record: AgentRecord): void {
    this.run.add(record);
    this.#request(this.#clock.now());
  }

  /** A permanent line above the block. The text may come from anywhere; it is made harmless here. */
  log(text: string, paint: Paint = noPaint): void {
    for (const line of plain(text).split("\n")) {
      this.#permanent.push({ text: line.replaceAll("\t", "    "), paint });
    }
    this.#request(this.#clock.now());
  }

  /** Shows a panel below the block, with every frame until another one or none replaces it. */
  show(panel: Panel | null): void {
    this.#panel = panel;
    this.#request(this.#clock.now());
  }

  /** Lets other output use the terminal for a while: the block stays as it is, and the next frame begins below. */
  release(): void {
    if (this.#phase !== "drawing") return;
    this.#restoreCursor();
    process.off("exit", this.#restoreCursor);
    this.#painted = [];
    this.#phase = "new";
  }

  /** Draws the last state, leaves it on the screen and gives the cursor back. May be called twice. */
  stop(): void {
    if (this.#phase === "stopped") return;
    this.#next?.cancel();
    this.#stream.off?.("resize", this.#onResize);
    this.#panel = null;
    const isEmpty = this.run.agents.size === 0 && this.#permanent.length === 0;
    if (!isEmpty || this.#painted.length > 0) this.#draw();
    if (this.#phase === "drawing") this.#restoreCursor();
    process.off("exit", this.#restoreCursor);
    this.#phase = "stopped";
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  /** Asks for a frame at `at`, or as soon after it as the frame rate allows. */
  #request(at: number): void {
    if (this.#phase === "stopped") return;
    const due = Math.max(at, this.#lastFrameAt + frameInterval);
    if (this.#next !== null && this.#next.at <= due) return;
    this.#next?.cancel();
    const delay = Math.max(0, due - this.#clock.now());
    this.#next = {
      at: due,
      cancel: this.#clock.schedule(() => this.#tick(), delay, { ref: false }),
    };
  }

  #tick(): void {
    this.#next = null;
    this.#draw();
    // Elapsed and silent times grow even when nothing happens.
    this.#request(this.#clock.now() + 1000);
  }

  #draw(): void {
    const now = this.#clock.now();
    // A terminal that does not know its size says 0.
    const columns = Math.max(2, this.#stream.columns || 80);
    const rows = Math.max(2, this.#stream.rows || 24);
    const drawing = { run: this.run, now, style: this.#style, scripted: this.#scripted };
    const width = columns - 1;
    // The header stays in any case.
    const panel = this.#panel?.draw({ width, height: rows - 2, now, style: this.#style }) ?? [];
    const block = drawBlock(drawing, { width, height: rows - 1 - panel.length });
    const lines = [...block.lines, ...panel];
    for (const agent of block.folded) this.#reportFolded(agent, now);

    const update = this.#update(lines, { columns, rows });
    this.#lastFrameAt = now;
    this.#painted = lines;
    this.#columns = columns;
    this.#permanent = [];
    if (update === "") return;

    if (this.#phase === "new") process.once("exit", this.#restoreCursor);
    const hide = this.#phase === "new" ? hideCursor : "";
    this.#phase = "drawing";
    this.#stream.write(`${beginFrame}${hide}${update}${endFrame}`);
  }

  #reportFolded(agent: AgentView, now: number): void {
    if (this.#folded.has(agent)) return;
    this.#folded.add(agent);
    const figures = formatFigures({
      turns: agent.record.run.turns,
      toolUses: totalOf(agent.record).toolUses,
      tokens: totalTokens(totalOf(agent.record).usage),
      durationMs: elapsed(agent, now),
    });
    const text = `${statusGlyphs[agent.record.state]} ${who(agent)} (${agent.record.type})  ${figures}  ${agent.outcome ?? ""}`;
    this.#permanent.push({ text, paint: this.#style.status(agent.record.state) });
  }

  /** The bytes that turn the screen into the new lines, or nothing when they are already there. */
  #update(lines: readonly MeasuredLine[], size: { columns: number; rows: number }): string {
    const resized = this.#columns !== 0 && this.#columns !== size.columns;
    const all = resized || this.#permanent.length > 0;
    let changes = "";
    for (const { text, paint } of this.#permanent) {
      for (const piece of wrap(text, size.columns - 1)) changes += paint(piece) + endLine;
    }
    let unchanged = 0;
    for (const [index, line] of lines.entries()) {
      if (!all && this.#painted[index]?.text === line.text) {
        unchanged += 1;
        continue;
      }
      changes += down(unchanged) + line.text + endLine;
      unchanged = 0;
    }
    const shrunk = lines.length < this.#painted.length;
    if (changes === "" && !shrunk) return "";
    changes += down(unchanged) + (shrunk ? eraseBelow : "");

    // A narrower terminal has broken the old lines into several rows each.
    const height = this.#painted.reduce(
      (sum, line) => sum + (resized ? Math.max(1, Math.ceil(line.width / size.columns)) : 1),
      0,
    );
    return up(Math.min(height, size.rows - 1)) + (resized ? eraseBelow : "") + changes;
  }
}

/** Lines that another component draws. At most `height` of them, none wider than `width`. */
export interface Panel {
  draw(size: { width: number; height: number; now: number; style: Style }): MeasuredLine[];
}

export interface LiveViewOptions {
  stream: TerminalStream;
  clock?: Clock;
  style?: Style;
  /** Whether answers come from a script: the header and every model say so. */
  scripted?: boolean;
}

/** The part of `tty.WriteStream` that is used. */
export interface TerminalStream {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on?(event: "resize", listener: () => void): unknown;
  off?(event: "resize", listener: () => void): unknown;
}

const frameInterval = 100;

const beginFrame = "\x1b[?2026h\x1b[?7l";
const endFrame = "\x1b[?7h\x1b[?2026l";
const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
const eraseBelow = "\x1b[J";
const endLine = "\x1b[K\r\n";
const down = (lines: number): string => (lines === 0 ? "" : `\x1b[${lines}B`);
const up = (lines: number): string => (lines === 0 ? "" : `\x1b[${lines}A`);
