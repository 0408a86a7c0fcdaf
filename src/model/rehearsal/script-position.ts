import { toolUsesOf } from "../../contract/message.ts";
import { matchTurn } from "./match-turn.ts";
import { ModelError } from "../model.ts";
import type { Fault, Scenario, ScenarioTurn } from "./scenario.ts";
import type { ScriptedRequest, Situation } from "./situation.ts";
import { situationOf } from "./situation.ts";
import type { TemplateScope } from "./template.ts";

/** A turn that answers a request, and the scope of its templates. */
export interface TurnClaim {
  turn: ScenarioTurn;
  scope: TemplateScope;
}

/**
 * The position of one agent in the script. A turn is used up when it has been answered, not when it was requested: a
 * retry, an interrupted request and a repetition after a malformed call all get the same turn again.
 */
export class ScriptPosition {
  readonly #scenario: Scenario;
  readonly #used = new Set<ScenarioTurn>();
  readonly #faults = new Map<ScenarioTurn, number>();
  #answers = 0;
  #claim: TurnClaim | undefined;
  #asksAgain = false;

  constructor(scenario: Scenario, request: ScriptedRequest) {
    this.#scenario = scenario;
    this.#recall(request);
  }

  /** The turn for this request. Throws `unscripted` if there is none. */
  claim(request: ScriptedRequest): TurnClaim {
    if (this.#claim !== undefined && this.#asksAgain) return this.#claim;
    const situation = situationOf(request);
    const found = matchTurn(this.#open(), situation, this.#answers + 1);
    if (found === undefined) throw this.#unscripted(situation);
    const { turn, match, task } = found;
    this.#claim = { turn, scope: { ...situation, match, task } };
    return this.#claim;
  }

  /** The next fault of this turn, if any is left. */
  takeFault(turn: ScenarioTurn): Fault | undefined {
    const met = this.#faults.get(turn) ?? 0;
    if (turn.fault === undefined || met >= turn.fault.times) return undefined;
    this.#faults.set(turn, met + 1);
    return turn.fault;
  }

  /** Marks the claimed turn as answered; after a malformed call the model is asked for it again. */
  answered(answer: { malformed: boolean }): void {
    this.#asksAgain = answer.malformed;
    if (answer.malformed || this.#claim === undefined) return;
    this.#used.add(this.#claim.turn);
    this.#answers += 1;
    this.#claim = undefined;
  }

  /**
   * Restores the position of an agent that was resumed in another process: the answers in its conversation used up
   * their turns. Answers with other tool calls than the turn has (of a real model, or of the parent of a fork) did not.
   */
  #recall(request: ScriptedRequest): void {
    for (const [index, message] of request.messages.entries()) {
      if (message.role !== "assistant") continue;
      const before = situationOf({ ...request, messages: request.messages.slice(0, index) });
      const calls = JSON.stringify(toolUsesOf(message).map((call) => call.name));
      const candidates = this.#open().filter((turn) => JSON.stringify(callsOf(turn)) === calls);
      const found = matchTurn(candidates, before, this.#answers + 1);
      if (found === undefined) continue;
      this.#used.add(found.turn);
      this.#answers += 1;
    }
  }

  #open(): ScenarioTurn[] {
    return this.#scenario.turns.filter((turn) => turn.repeat || !this.#used.has(turn));
  }

  #unscripted(situation: Situation): ModelError {
    const { name, source, turns } = this.#scenario;
    const { agentType, last } = situation;
    const number = this.#answers + 1;
    const used = matchTurn(turns, situation, number)?.turn;
    const remedy =
      used === undefined
        ? `Add a turn for it: "- agent: ${agentType}" with a reply.`
        : `The turn in line ${used.line} matches but has already answered this agent: add another turn, or "repeat: true" to it.`;
    return new ModelError(
      "unscripted",
      `Scenario "${name}" (${source}) has no turn for request ${number} of agent ${agentType}, whose last message begins "${beginning(last)}". ${remedy}`,
    );
  }
}

function callsOf(turn: ScenarioTurn): string[] {
  return turn.reply.flatMap((block) => ("call" in block ? [block.call] : []));
}

function beginning(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}
