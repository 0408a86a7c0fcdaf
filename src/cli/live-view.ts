import type { AgentEvent } from "../events/event.ts";
import { totalTokens } from "../message.ts";
import {
  formatDenial,
  formatDuration,
  formatFigures,
  formatModel,
  formatTokens,
  plural,
} from "./format.ts";
import {
  elapsed,
  hasEnded,
  RunState,
  type AgentState,
  type AgentStatus,
  type TreeRow,
} from "./run-state.ts";
import { plain } from "./sanitize.ts";
import { createStyle, noPaint, statusGlyphs, type Paint, type Style } from "./style.ts";
import { compose, displayWidth, fit, wrap, type Cell, type Line } from "./width.ts";

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
  #painted: Line[] = [];
  #columns = 0;
  #permanent: { text: string; paint: Paint }[] = [];
  readonly #folded = new WeakSet<AgentState>();
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
    this.#request(this.#clock.now());
  }

  /** A permanent line above the block. The text may come from anywhere; it is made harmless here. */
  log(text: string, paint: Paint = noPaint): void {
    for (const line of plain(text).split("\n")) {
      this.#permanent.push({ text: line.replaceAll("\t", "    "), paint });
    }
    this.#request(this.#clock.now());
  }

  /** Draws the last state, leaves it on the screen and gives the cursor back. May be called twice. */
  stop(): void {
    if (this.#phase === "stopped") return;
    this.#next?.cancel();
    this.#stream.off?.("resize", this.#onResize);
    if (this.run.agents.size > 0 || this.#permanent.length > 0) this.#draw();
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
    this.#next = { at: due, cancel: this.#clock.schedule(() => this.#tick(), delay) };
  }

  #tick(): void {
    this.#next = null;
    this.#draw();
    // Elapsed and silent times grow even when nothing happens.
    this.#request(this.#clock.now() + 1000);
  }

  #draw(): void {
    const now = this.#clock.now();
    const columns = Math.max(2, this.#stream.columns ?? 80);
    const rows = Math.max(2, this.#stream.rows ?? 24);
    const drawing = { run: this.run, now, style: this.#style, scripted: this.#scripted };
    const block = drawBlock(drawing, { width: columns - 1, height: rows - 1 });
    for (const agent of block.folded) this.#reportFolded(agent, now);

    const update = this.#update(block.lines, { columns, rows });
    this.#lastFrameAt = now;
    this.#painted = block.lines;
    this.#columns = columns;
    this.#permanent = [];
    if (update === "") return;

    if (this.#phase === "new") process.once("exit", this.#restoreCursor);
    const hide = this.#phase === "new" ? hideCursor : "";
    this.#phase = "drawing";
    this.#stream.write(`${beginFrame}${hide}${update}${endFrame}`);
  }

  #reportFolded(agent: AgentState, now: number): void {
    if (this.#folded.has(agent)) return;
    this.#folded.add(agent);
    const figures = formatFigures({
      turns: agent.turn,
      toolUses: agent.toolUses,
      tokens: totalTokens(agent.usage),
      durationMs: elapsed(agent, now),
    });
    const text = `${statusGlyphs[agent.status]} ${this.run.path(agent)}  ${figures}  ${agent.outcome ?? ""}`;
    this.#permanent.push({ text, paint: this.#style.status(agent.status) });
  }

  /** The bytes from what is on the screen to what should be, or nothing when it already is. */
  #update(lines: readonly Line[], size: { columns: number; rows: number }): string {
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

export interface LiveViewOptions {
  stream: TerminalStream;
  clock?: Clock;
  style?: Style;
  /** Answers come from a script: the header and every model say so. */
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

export interface Clock {
  /** Milliseconds since the epoch, as in events. */
  now(): number;
  /** Calls back once, later. Returns how to cancel it. */
  schedule(callback: () => void, delayMs: number): () => void;
}

const systemClock: Clock = {
  now: () => Date.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

const frameInterval = 100;
const silentAfter = 10_000;

const beginFrame = "\x1b[?2026h\x1b[?7l";
const endFrame = "\x1b[?7h\x1b[?2026l";
const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
const eraseBelow = "\x1b[J";
const endLine = "\x1b[K\r\n";
const down = (lines: number): string => (lines === 0 ? "" : `\x1b[${lines}B`);
const up = (lines: number): string => (lines === 0 ? "" : `\x1b[${lines}A`);

interface Drawing {
  run: RunState;
  now: number;
  style: Style;
  scripted: boolean;
}

function drawBlock(
  drawing: Drawing,
  size: { width: number; height: number },
): { lines: Line[]; folded: AgentState[] } {
  const { run, style } = drawing;
  const { shown, folded, left } = choose(run, size.height - 1);
  const layout = columnLayout(shown, drawing, size.width);
  const lines = [header(drawing, size.width)];
  for (const row of shown) lines.push(compose(rowCells(row, drawing, layout), size.width));

  const done = folded.length + run.forgotten;
  const notes = [done > 0 ? `${done} done` : "", left > 0 ? `${left} more` : ""];
  const note = notes.filter((text) => text !== "").join(", ");
  if (note !== "" && size.height > 1) {
    lines.push(compose([{ text: `… and ${note}`, paint: style.dim }], size.width));
  }
  return { lines, folded };
}

/** Which agents get a row: when there are too many, ended leaves fold, oldest first; then the end is left out. */
function choose(
  run: RunState,
  height: number,
): { shown: TreeRow[]; folded: AgentState[]; left: number } {
  const fits = run.agents.size + (run.forgotten > 0 ? 1 : 0) <= height;
  if (fits) return { shown: run.tree(), folded: [], left: 0 };

  const room = Math.max(0, height - 1);
  const folded = new Set<AgentState>();
  const candidates = [...run.agents.values()]
    .filter(hasEnded)
    .sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
  const children = new Map<string | null, number>();
  for (const { parentId } of run.agents.values()) {
    children.set(parentId, (children.get(parentId) ?? 0) + 1);
  }
  for (const agent of candidates) {
    if (run.agents.size - folded.size <= room) break;
    // Children end before their parent, except in the background; such a parent keeps its row.
    if ((children.get(agent.id) ?? 0) > 0) continue;
    folded.add(agent);
    children.set(agent.parentId, (children.get(agent.parentId) ?? 0) - 1);
  }
  const rows = run.tree(folded);
  return {
    shown: rows.slice(0, room),
    folded: [...folded],
    left: Math.max(0, rows.length - room),
  };
}

function header({ run, now, style, scripted }: Drawing, width: number): Line {
  const count = (...statuses: AgentStatus[]): number =>
    run.agents.values().reduce((sum, { status }) => sum + (statuses.includes(status) ? 1 : 0), 0);
  const counts: [number, string][] = [
    [count("running", "waiting"), "working"],
    [count("queued"), "queued"],
    [count("idle"), "idle"],
    [count("completed") + run.forgotten, "done"],
    [count("failed"), "failed"],
    [count("stopped"), "stopped"],
  ];
  const parts = counts.flatMap(([number, word]) => (number > 0 ? [`${number} ${word}`] : []));
  const left = ["retinue", ...(scripted ? ["scripted"] : []), ...parts].join(" · ");
  const living = run.agents.values().some((agent) => !hasEnded(agent));
  const last = Math.max(0, ...run.agents.values().map((agent) => agent.endedAt ?? 0));
  const time = formatDuration((living ? now : last) - (run.startedAt ?? now));
  const right = `${formatTokens(totalTokens(run.usage))} tok  ⏱ ${time}`;
  const leftWidth = Math.max(Math.min(width, displayWidth(left)), width - displayWidth(right) - 2);
  return compose(
    [
      { text: left, width: leftWidth, paint: style.bold },
      { text: right, paint: style.dim },
    ],
    width,
  );
}

interface Layout {
  who: number;
  type: number;
  model: number;
  tools: number;
  tokens: number;
  time: number;
  activity: number;
}

/** Columns as wide as their content; a narrow terminal loses the less telling ones before the activity. */
function columnLayout(rows: readonly TreeRow[], drawing: Drawing, width: number): Layout {
  const widest = (limit: number, text: (row: TreeRow) => string): number =>
    Math.max(0, ...rows.map((row) => displayWidth(fit(text(row), limit))));
  const layout: Layout = {
    who: widest(Math.ceil(width * 0.35), ({ agent, prefix }) => `${prefix}* ${who(agent)}`),
    type: widest(20, ({ agent }) => agent.type),
    model: widest(24, ({ agent }) => formatModel(agent.model, drawing.scripted)),
    tools: widest(12, ({ agent }) => toolCount(agent)),
    tokens: widest(8, ({ agent }) => formatTokens(totalTokens(agent.usage))),
    time: widest(9, ({ agent }) => formatDuration(elapsed(agent, drawing.now))),
    activity: 0,
  };
  const rest = (): number =>
    width -
    [layout.who, layout.type, layout.model, layout.tools, layout.tokens, layout.time]
      .filter((column) => column > 0)
      .reduce((sum, column) => sum + column + 2, 0);
  for (const column of ["model", "tools", "type", "tokens"] as const) {
    if (rest() < 24) layout[column] = 0;
  }
  layout.activity = Math.max(0, rest());
  return layout;
}

function rowCells({ agent, prefix }: TreeRow, drawing: Drawing, layout: Layout): Cell[] {
  const { now, style, scripted } = drawing;
  const paint = style.status(agent.status);
  const nameWidth = Math.max(0, layout.who - displayWidth(prefix) - 2);
  const tokens = formatTokens(totalTokens(agent.usage));
  const duration = formatDuration(elapsed(agent, now));
  return [
    { text: prefix, gap: 0, paint: style.dim },
    { text: statusGlyphs[agent.status], gap: 1, paint },
    { text: who(agent), width: nameWidth, paint: style.bold },
    { text: agent.type, width: layout.type, paint: style.agent(agent.color) },
    { text: formatModel(agent.model, scripted), width: layout.model, paint: style.dim },
    ...activityCells(agent, drawing, layout.activity),
    { text: toolCount(agent), width: layout.tools, align: "right", paint: style.dim },
    { text: tokens, width: layout.tokens, align: "right" },
    { text: duration, width: layout.time, align: "right", paint: style.dim },
  ];
}

/** The silence is never cut: it is what a person looks for. */
function activityCells(agent: AgentState, { run, now, style }: Drawing, width: number): Cell[] {
  const silence = now - agent.lastEventAt;
  const paint = hasEnded(agent) ? style.status(agent.status) : noPaint;
  const text = activity(agent, run);
  if (agent.status !== "running" || silence < silentAfter) return [{ text, width, paint }];
  const note = fit(` silent ${formatDuration(silence)}`, width);
  return [
    { text, width: Math.max(0, width - displayWidth(note)), gap: 0, paint },
    { text: note, paint: style.yellow },
  ];
}

function activity(agent: AgentState, run: RunState): string {
  if (hasEnded(agent)) return agent.outcome ?? "";
  if (agent.status === "queued") return queued(agent);
  if (agent.status === "waiting") return waiting(agent, run);
  if (agent.status === "idle") return "idle";
  return agent.retry ?? toolLine(agent) ?? "thinking";
}

function queued({ queuePosition }: AgentState): string {
  return queuePosition === null ? "queued" : `queued (position ${queuePosition})`;
}

function waiting(agent: AgentState, run: RunState): string {
  if (agent.waitReason === "permission") return "waiting for permission";
  if (agent.waitReason === "question") return "waiting for an answer";
  if (agent.waitReason === "message") return "waiting for a message";
  return `waiting for ${plural(run.livingChildren(agent), "child", "children")}`;
}

function toolLine({ lastTool }: AgentState): string | null {
  if (lastTool === null) return null;
  return lastTool.progress === null ? lastTool.line : `${lastTool.line} · ${lastTool.progress}`;
}

function who(agent: AgentState): string {
  if (agent.name !== null) return agent.name;
  return agent.description === "" ? agent.label : agent.description;
}

function toolCount(agent: AgentState): string {
  return agent.toolUses === 0 ? "" : plural(agent.toolUses, "tool");
}
