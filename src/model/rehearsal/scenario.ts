import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { z } from "zod";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import type { StopReason } from "../../events/event.ts";
import type { Usage } from "../../contract/message.ts";
import { scenarioSchema } from "./scenario-schema.ts";
import { readYaml } from "./yaml-source.ts";
import { wording } from "../../contract/wording.ts";

/** A script for the rehearsal model: the answers of each agent, and the expectations of the run. Plain data. */
export interface Scenario extends WrittenScenario {
  name: string;
  /** Path of the file, for messages. */
  source: string;
  turns: ScenarioTurn[];
  expect: Expectation[];
}

export type ScenarioTurn = WrittenTurn & { line: number };
export type Expectation = WrittenExpectation & { line: number };

/** A scenario as written in its file, with defaults filled in. */
export interface WrittenScenario {
  /** Name for display. Default: the name of the file. */
  name?: string | undefined;
  /** Tokens per second while streaming; 0, or absent: at once. */
  speed: number;
  turns: WrittenTurn[];
  expect: WrittenExpectation[];
}

interface WrittenTurn {
  /** Type of the agent, ignoring case, dashes, underscores and spaces. Default: any. */
  agent?: string | undefined;
  /** Pattern for the agent's own first prompt. */
  task?: string | undefined;
  /** Number of the answer that this agent gets. */
  turn?: number | undefined;
  /** Pattern for the input that the agent got since its last answer. */
  last?: string | undefined;
  /** Blocks of the answer. A plain text in the file is one text block. */
  reply: ReplyBlock[];
  /** Default: `tool_use` with a call, else `end_turn`. */
  stop?: StopReason | undefined;
  /** Default: estimated. Missing numbers: 0. */
  usage?: Usage | undefined;
  fault?: Fault | undefined;
  /** Whether the turn may answer the same agent again. */
  repeat: boolean;
}

export type ReplyBlock =
  | { thinking: string }
  | { text: string }
  | { call: string; input: Record<string, unknown> };

export interface Fault {
  kind: "rate-limit" | "overload" | "server-error" | "stall" | "broken-stream" | "malformed-call";
  /** Number of times, for each agent, before the turn is answered as written. */
  times: number;
  /** Seconds that the provider asks to wait. */
  retryAfter?: number | undefined;
}

interface WrittenExpectation {
  /** The agents that are meant: their type, and a pattern for their first prompt. */
  agent?: string | undefined;
  task?: string | undefined;
  /** The number of matching agents. Default: at least one. */
  count?: number | undefined;
  /** The end state of each of them. */
  state?: "completed" | "failed" | "stopped" | undefined;
  /** The calls of each of them, in this order; other calls may come between. */
  tools?: string[] | undefined;
  /** A pattern for the result of each of them. */
  result?: string | undefined;
  /** The most turns that no request reached; in an entry of its own. */
  unused?: number | undefined;
}

const maximumBytes = 1024 * 1024;

/** Reads a scenario file. Throws `invalid_scenario` with every problem that was found. */
export async function loadScenario(path: string): Promise<Scenario> {
  let text: string;
  try {
    const file = await stat(path);
    if (!file.isFile()) throw new Error("it is not a file");
    if (file.size > maximumBytes) throw tooLarge(path);
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof RetinueError) throw error;
    throw new RetinueError(
      "invalid_scenario",
      `${path}: the scenario cannot be read (${errorMessage(error)}). Give the path of a YAML file.`,
      { cause: error },
    );
  }
  return parseScenario(text, path);
}

/** Parses the text of a scenario; `source` is the file to name in messages. */
export function parseScenario(text: string, source: string): Scenario {
  if (Buffer.byteLength(text) > maximumBytes) throw tooLarge(source);
  const yaml = readYaml(text);
  if (yaml.problems.length > 0) throw invalid(source, yaml.problems);
  const parsed = scenarioSchema.safeParse(yaml.value, { error: inYaml });
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => ({
      line: yaml.lineOf(issue.path, issue.code === "unrecognized_keys" ? issue.keys[0] : undefined),
      message: [placeOf(issue.path), issue.message].filter(Boolean).join(": "),
    }));
    throw invalid(source, problems);
  }
  const { name = basename(source), speed, turns, expect } = parsed.data;
  return {
    name,
    source,
    speed,
    turns: turns.map((turn, index) => Object.assign(turn, { line: yaml.lineOf(["turns", index]) })),
    expect: expect.map((entry, index) =>
      Object.assign(entry, { line: yaml.lineOf(["expect", index]) }),
    ),
  };
}

function invalid(source: string, problems: { line: number; message: string }[]): RetinueError {
  const lines = problems
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, message }) => `${source}:${line}: ${message}`);
  return new RetinueError("invalid_scenario", [...new Set(lines)].join("\n"));
}

function tooLarge(source: string): RetinueError {
  return new RetinueError(
    "invalid_scenario",
    `${source}: a scenario has at most 1 MiB. Split it, or let a tool read the long texts from files.`,
  );
}

const inYaml: z.core.$ZodErrorMap = (issue) => {
  const isOther = issue.code === "invalid_type" && issue.input !== undefined;
  return isOther && issue.expected === "string" ? "must be text: put it in quotes" : wording(issue);
};

/** Formats `turns[0].fault.kind` the way people count and write it: `turn 1, fault.kind`. */
function placeOf(path: readonly PropertyKey[]): string {
  const [list, index, ...rest] = path;
  if (typeof index !== "number") return path.map(String).join(".");
  const entry = `${list === "turns" ? "turn" : "expectation"} ${index + 1}`;
  const inside = rest.map((key) => (typeof key === "number" ? key + 1 : String(key))).join(".");
  return inside === "" ? entry : `${entry}, ${inside}`;
}
