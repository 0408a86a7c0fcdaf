import type { AgentState } from "../../events/agent-record.ts";

/** Colours, or none: with colours off every function returns its text unchanged. */
export function createStyle(enabled: boolean): Style {
  const sgr =
    (code: string): Paint =>
    (text) =>
      enabled && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text;
  return {
    bold: sgr("1"),
    dim: sgr("2"),
    red: sgr("31"),
    green: sgr("32"),
    yellow: sgr("33"),
    status: (status) => sgr(statusColors[status]),
    agent: (color) => (color !== null && isAgentColor(color) ? sgr(agentColors[color]) : noPaint),
  };
}

export type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  /** The paint of an agent's state. */
  status(status: AgentState): Paint;
  /** The paint of the `color` in an agent definition; an unknown name paints nothing. */
  agent(color: string | null): Paint;
}

export const noPaint: Paint = (text) => text;

export type ColorChoice = "always" | "never" | "auto";

/** `--color` beats FORCE_COLOR, which beats NO_COLOR (as in Node itself), which beats what the stream is. */
export function wantsColor(options: {
  choice: ColorChoice;
  environment: Record<string, string | undefined>;
  isTTY: boolean;
}): boolean {
  const { choice, environment, isTTY } = options;
  if (choice !== "auto") return choice === "always";
  const forced = environment["FORCE_COLOR"] ?? "";
  if (forced !== "") return forced !== "0" && forced !== "false";
  if ((environment["NO_COLOR"] ?? "") !== "") return false;
  return isTTY && environment["TERM"] !== "dumb";
}

export const statusGlyphs: Readonly<Record<AgentState, string>> = {
  interrupted: "■",
  queued: "◌",
  running: "✻",
  waiting: "✻",
  idle: "◌",
  completed: "✓",
  failed: "✗",
  stopped: "■",
};

const statusColors: Readonly<Record<AgentState, string>> = {
  interrupted: "33",
  queued: "2",
  running: "36",
  waiting: "2",
  idle: "2",
  completed: "32",
  failed: "31",
  stopped: "31",
};

/** The colours that an agent definition may name, as SGR codes. */
export const agentColors = {
  red: "31",
  blue: "34",
  green: "32",
  yellow: "33",
  purple: "35",
  orange: "38;5;208",
  pink: "38;5;211",
  cyan: "36",
} as const;

export type AgentColor = keyof typeof agentColors;

export function isAgentColor(name: string): name is AgentColor {
  return Object.hasOwn(agentColors, name);
}
