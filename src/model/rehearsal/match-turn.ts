import type { Groups } from "./pattern.ts";
import { findPattern } from "./pattern.ts";
import type { ScenarioTurn } from "./scenario.ts";
import type { Situation } from "./situation.ts";

export interface TurnMatch {
  turn: ScenarioTurn;
  /** Groups of the matched patterns `last` and `task`. */
  match: Groups;
  task: Groups;
}

/** Finds the first turn whose conditions all match. `number`: the number of the answer of this agent, from 1. */
export function matchTurn(
  turns: readonly ScenarioTurn[],
  situation: Situation,
  number: number,
): TurnMatch | undefined {
  for (const turn of turns) {
    if (turn.agent !== undefined && !sameType(turn.agent, situation.agentType)) continue;
    if (turn.turn !== undefined && turn.turn !== number) continue;
    const task = turn.task === undefined ? [] : findPattern(turn.task, situation.prompt);
    if (task === undefined) continue;
    const match = turn.last === undefined ? [] : findPattern(turn.last, situation.last);
    if (match !== undefined) return { turn, match, task };
  }
  return undefined;
}

/** Compares agent types, ignoring case, dashes, underscores and spaces. */
export function sameType(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(type: string): string {
  return type.toLowerCase().replaceAll(/[-_\s]/g, "");
}
