import type { Answer, InboxRequest } from "../../inbox/request.ts";
import { editLine, type Key } from "../terminal/keys.ts";
import { questionsOf, replyTo } from "./reply-to.ts";

/** The state of the panel "needs you". Plain data: keys and events make a new one, `panelLines` draws it. */
export interface PanelState {
  /** Open requests, oldest first. */
  readonly requests: readonly InboxRequest[];
  readonly selected: number;
  /** The time since which the selected request is on the screen; `null`: it is not yet. */
  readonly shownAt: number | null;
  /** The first line of its body that is shown. */
  readonly from: number;
  /** Lines of the body, from its start, that have been on the screen; counted for a body wrapped at `width`. */
  readonly readTo: number;
  readonly width: number;
  /** Whether all lines have been on the screen. */
  readonly seenAll: boolean;
  /** The text that is being typed, and its purpose. */
  readonly typing: { readonly purpose: "deny" | "reply"; readonly text: string } | null;
  /** Answers to the first questions of the selected request. */
  readonly replies: readonly string[];
  /** The reason why the last answer was refused. */
  readonly note: string | null;
}

export const emptyPanel: PanelState = {
  requests: [],
  selected: 0,
  shownAt: null,
  from: 0,
  readTo: 0,
  width: 0,
  seenAll: false,
  typing: null,
  replies: [],
  note: null,
};

/** Milliseconds before a key counts: an earlier one was meant for the previous content. */
const settleTime = 400;

export function selectedOf(panel: PanelState): InboxRequest | undefined {
  return panel.requests[panel.selected];
}

/** Updates the open requests. The selected one stays selected until it is settled. */
export function withRequests(panel: PanelState, requests: readonly InboxRequest[]): PanelState {
  const current = selectedOf(panel)?.id;
  const index = requests.findIndex(({ id }) => id === current);
  if (index !== -1) return { ...panel, requests, selected: index };
  const selected = Math.min(panel.selected, Math.max(0, requests.length - 1));
  return { ...emptyPanel, requests, selected };
}

/** Sets the width of the terminal. Lines wrap elsewhere then, so a body that was not read to its end starts again. */
export function withWidth(panel: PanelState, width: number): PanelState {
  if (width === panel.width) return panel;
  return { ...panel, width, ...(panel.seenAll ? {} : { from: 0, readTo: 0 }) };
}

/** Marks the body as shown up to line `end`. The first shown line is never after the last line read. */
export function withShown(
  panel: PanelState,
  shown: { now: number; end: number; total: number },
): PanelState {
  const readTo = Math.max(panel.readTo, shown.end);
  return {
    ...panel,
    shownAt: panel.shownAt ?? shown.now,
    readTo,
    seenAll: panel.seenAll || readTo >= shown.total,
  };
}

export interface Pressed {
  readonly panel: PanelState;
  readonly answer?: { readonly id: string; readonly answer: Answer };
}

/** Handles a key. `page`: how many lines of the body are shown at once; `atEnd`: the last one is among them. */
export function press(
  panel: PanelState,
  key: Key,
  context: { now: number; page: number; atEnd: boolean },
): Pressed {
  const request = selectedOf(panel);
  if (request === undefined || panel.shownAt === null) return { panel };
  if (panel.typing !== null) return type(panel, request, key);
  if (key === "j" || key === "down") return { panel: select(panel, 1) };
  if (key === "k" || key === "up") return { panel: select(panel, -1) };
  if (key === "v") return { panel: turnPage(panel, context) };
  if (context.now - panel.shownAt < settleTime) return { panel };
  if (key === "n") return give(panel, request, { verdict: "deny" });
  if (key === "e") return { panel: { ...panel, typing: { purpose: "deny", text: "" } } };
  if (request.kind === "question") {
    const isChoice = /^[1-4]$/.test(key);
    const isReply = key === "r" || key === "enter" || isChoice;
    if (!isReply || questionsOf(request).length === 0) return { panel };
    return { panel: { ...panel, typing: { purpose: "reply", text: isChoice ? key : "" } } };
  }
  const answer = offers(panel, request).get(key)?.answer;
  return answer === undefined ? { panel } : give(panel, request, answer);
}

interface Offer {
  readonly label: string;
  readonly answer: Answer;
}

/**
 * The ways in which a call can be allowed now. A call that was not seen whole is allowed once at most, a plan not at
 * all, and nothing for longer without a rule.
 */
export function offers(panel: PanelState, request: InboxRequest): ReadonlyMap<Key, Offer> {
  const label = request.kind === "plan" ? "approve" : "once";
  const once: [Key, Offer] = ["y", { label, answer: { verdict: "allow", scope: "once" } }];
  const { suggestions } = request;
  if (request.kind === "question" || (request.kind === "plan" && !panel.seenAll)) return new Map();
  if (!panel.seenAll || suggestions.length === 0) return new Map([once]);
  const allow = { verdict: "allow" as const, rules: [...suggestions] };
  return new Map<Key, Offer>([
    once,
    ["a", { label: "agent", answer: { ...allow, scope: "agent" } }],
    ["s", { label: "session", answer: { ...allow, scope: "session" } }],
    ["A", { label: "always", answer: { ...allow, scope: "always", file: "local" } }],
  ]);
}

function give(panel: PanelState, { id }: InboxRequest, answer: Answer): Pressed {
  return { panel: { ...panel, typing: null, replies: [], note: null }, answer: { id, answer } };
}

function select(panel: PanelState, step: number): PanelState {
  const count = panel.requests.length;
  if (count < 2) return panel;
  const { requests } = panel;
  return { ...emptyPanel, requests, selected: (panel.selected + step + count) % count };
}

/**
 * Turns the page, from the end back to the start; never past lines that were not on the screen, however fast the key is
 * pressed.
 */
function turnPage(
  panel: PanelState,
  { page, atEnd }: { page: number; atEnd: boolean },
): PanelState {
  return { ...panel, from: atEnd ? 0 : Math.min(panel.from + page, panel.readTo) };
}

function type(panel: PanelState, request: InboxRequest, key: Key): Pressed {
  const { typing } = panel;
  if (typing === null) return { panel };
  const edited = editLine(typing.text, key);
  if (edited === "cancel") return { panel: { ...panel, typing: null, replies: [] } };
  if (edited !== "submit") return { panel: { ...panel, typing: { ...typing, ...edited } } };
  const text = typing.text.trim();
  if (typing.purpose === "deny")
    return give(panel, request, { verdict: "deny", ...(text === "" ? {} : { message: text }) });
  if (text === "") return { panel };
  const replies = [...panel.replies, text];
  if (replies.length >= questionsOf(request).length)
    return give(panel, request, replyTo(request, replies));
  return { panel: { ...panel, replies, typing: { purpose: "reply", text: "" } } };
}
