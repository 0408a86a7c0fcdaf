import type { InboxRequest } from "../../inbox/request.ts";
import { formatDuration } from "../terminal/format.ts";
import { offers, selectedOf, type PanelState } from "./inbox-panel.ts";
import { literalWhole } from "../terminal/literal.ts";
import { questionsOf } from "./reply-to.ts";
import { askerPath, callLines, callMark } from "../views/request-lines.ts";
import { plain, plainLine } from "../terminal/sanitize.ts";
import type { Style } from "../terminal/style.ts";
import { compose, displayWidth, wrap, type MeasuredLine } from "../terminal/width.ts";

export interface DrawnPanel {
  readonly lines: MeasuredLine[];
  /** Lines of the body that are shown at once. */
  readonly page: number;
  /** The line of the body after the last one shown, and the total. */
  readonly end: number;
  readonly total: number;
}

/** Title, asker and keys; the body has the rest. */
const frame = 3;
const lowest = frame + 3;
const narrowest = 20;

/** The panel "needs you" in at most `height` lines: who asks, all of the call as far as there is room, and the keys. */
export function panelLines(
  panel: PanelState,
  options: { width: number; height: number; now: number; style: Style },
): DrawnPanel {
  const request = selectedOf(panel);
  const { width, height, now, style } = options;
  if (request === undefined || height < lowest || width < narrowest) return tooLow(panel, options);
  const body = bodyOf(request, width);
  const room = height - frame - (panel.note === null ? 0 : 1);
  // The line with the number of hidden lines replaces one of the body.
  const page = body.length <= room ? room : room - 1;
  const from = Math.min(panel.from, Math.max(0, body.length - page));
  const end = Math.min(body.length, from + page);
  const row = (text: string, paint?: (text: string) => string): MeasuredLine =>
    compose([{ text, ...(paint === undefined ? {} : { paint }) }], width);
  const waiting = `waiting ${formatDuration(now - request.createdAt)}`;
  const lines = [
    row(title(panel, width), style.yellow),
    row(`${plainLine(request.tool)}  ${waiting}  ${askerPath(request)}`, style.bold),
    ...body.slice(from, end).map((line) => row(line)),
    ...(body.length > page ? [row(more(body.length, from, end), style.dim)] : []),
    ...(panel.note === null ? [] : [row(plainLine(panel.note), style.red)]),
    row(footer(panel, request), style.dim),
  ];
  return { lines, page, end, total: body.length };
}

/** A panel without room to read a request. None can be answered in it: `total` is never reached. */
function tooLow(
  { requests }: PanelState,
  { width, height }: { width: number; height: number },
): DrawnPanel {
  const text = `${requests.length} need you: make the terminal larger, or see 'retinue approvals'`;
  const lines = requests.length === 0 || height < 1 ? [] : [compose([{ text }], width)];
  return { lines, page: 0, end: 0, total: Infinity };
}

function title({ requests, selected }: PanelState, width: number): string {
  const count = requests.length === 1 ? "" : ` ${selected + 1} of ${requests.length} ─`;
  const text = `─ NEEDS YOU ─${count}`;
  return text + "─".repeat(Math.max(0, width - displayWidth(text)));
}

/** The body of a request. Lines of the call have a bar in front: no command can pass for our own text about it. */
function bodyOf(request: InboxRequest, width: number): string[] {
  const framed = (lines: readonly string[], mark: string): string[] =>
    lines.flatMap((line) => wrap(line, width - mark.length).map((piece) => mark + piece));
  if (request.kind === "question") return framed(questionLines(request), "  ");
  return [...framed(callLines(request), callMark), ...framed(aboutLines(request), "  ")];
}

function aboutLines(request: InboxRequest): string[] {
  return [
    `reason: ${plain(request.reason, { oneLine: true })}`,
    ...(request.part === null ? [] : [`because of: ${literalWhole(request.part)}`]),
    ...request.suggestions.map((rule) => `rule: ${literalWhole(rule)}`),
  ];
}

function questionLines(request: InboxRequest): string[] {
  return questionsOf(request).flatMap(({ question, options, multiSelect }) => [
    plain(question, { oneLine: true }) + (multiSelect ? " (several, with commas)" : ""),
    ...options.map(
      ({ label, description }, index) =>
        `  ${index + 1} ${plain(description === "" ? label : `${label}: ${description}`, { oneLine: true })}`,
    ),
  ]);
}

function more(total: number, from: number, end: number): string {
  return end < total
    ? `  … ${total - end} more lines: v shows them`
    : `  … the end; ${from} lines above: v goes back`;
}

function footer(panel: PanelState, request: InboxRequest): string {
  const { typing } = panel;
  if (typing !== null)
    return `${prompt(panel, request)}${plain(typing.text)}▏ enter sends, esc goes back`;
  const allow = [...offers(panel, request)].map(([key, { label }]) => `${key} ${label}`);
  return [
    ...(request.kind === "question" ? ["r reply"] : allow),
    "n deny",
    "e deny and why",
    ...(panel.requests.length > 1 ? ["j/k others"] : []),
  ].join(" · ");
}

function prompt(panel: PanelState, request: InboxRequest): string {
  if (panel.typing?.purpose === "deny") return "deny because: ";
  const count = questionsOf(request).length;
  return count > 1 ? `answer ${panel.replies.length + 1} of ${count}: ` : "answer: ";
}
