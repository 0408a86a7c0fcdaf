import type { AgentResult } from "../../contract/agent-result.ts";
import { sameType } from "./match-turn.ts";
import { findPattern } from "./pattern.ts";
import type { Expectation, Scenario, ScenarioTurn } from "./scenario.ts";

/** The observed behaviour of one agent in a run. */
export interface ObservedAgent {
  type: string;
  /** The agent's first prompt. */
  task: string;
  state: AgentResult["state"];
  /** Tools that the agent called, in order. */
  tools: readonly string[];
  result: string;
}

/** Checks a run against its scenario; returns one sentence per broken expectation. */
export function checkExpectations(
  scenario: Scenario,
  observed: readonly ObservedAgent[],
  unusedTurns: readonly ScenarioTurn[],
): string[] {
  return scenario.expect.flatMap((expectation) => {
    const broken =
      expectation.unused === undefined
        ? brokenByAgents(expectation, observed)
        : brokenByUnused(expectation.unused, unusedTurns);
    return broken.map((sentence) => `${scenario.source}:${expectation.line}: ${sentence}`);
  });
}

function brokenByAgents(expectation: Expectation, observed: readonly ObservedAgent[]): string[] {
  const { agent, task, count } = expectation;
  const who = agent ?? "any type";
  const meant = observed.filter(
    (one) =>
      (agent === undefined || sameType(agent, one.type)) &&
      (task === undefined || findPattern(task, one.task) !== undefined),
  );
  const whose = task === undefined ? who : `${who} with a task that matches ${task}`;
  if (count === undefined && meant.length === 0) return [`No agent of ${whose} ran.`];
  const broken = meant.flatMap((one) => brokenBy(expectation, one));
  if (count === undefined || count === meant.length) return broken;
  const seen = observed.map((one) => one.type).join(", ") || "none";
  return [
    `Expected ${count} agents of ${whose}, but there were ${meant.length} (agents that ran: ${seen}).`,
    ...broken,
  ];
}

function brokenBy({ state, tools, result }: Expectation, observed: ObservedAgent): string[] {
  const who = `${observed.type} ("${excerpt(observed.task)}")`;
  const broken: string[] = [];
  if (state !== undefined && state !== observed.state) {
    broken.push(
      `${who} should have ended as ${state}, but ended as ${observed.state}: "${excerpt(observed.result)}".`,
    );
  }
  if (tools !== undefined) {
    const missing = firstMissing(tools, observed.tools);
    const called = observed.tools.join(", ") || "nothing";
    if (missing !== undefined) {
      broken.push(
        `${who} should have called ${tools.join(", ")} in this order, but ${missing} is missing; it called ${called}.`,
      );
    }
  }
  if (result !== undefined && findPattern(result, observed.result) === undefined) {
    broken.push(
      `The result of ${who} should match ${result}, but it is "${excerpt(observed.result)}".`,
    );
  }
  return broken;
}

function brokenByUnused(allowed: number, unused: readonly ScenarioTurn[]): string[] {
  if (unused.length <= allowed) return [];
  const turns = unused.map((turn) => `line ${turn.line} (${turn.agent ?? "any agent"})`).join(", ");
  return [
    `Expected at most ${allowed} turns that no request reaches, but there are ${unused.length}: ${turns}.`,
  ];
}

/** The first tool of `wanted` that was not called after the ones before it. */
function firstMissing(wanted: readonly string[], called: readonly string[]): string | undefined {
  let position = 0;
  for (const tool of wanted) {
    const found = called.indexOf(tool, position);
    if (found === -1) return tool;
    position = found + 1;
  }
  return undefined;
}

function excerpt(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
