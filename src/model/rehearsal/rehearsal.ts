import { LRUCache } from "lru-cache";
import type { RequestPrefix } from "./estimate-usage.ts";
import { estimateUsage } from "./estimate-usage.ts";
import type { Model, ModelAnswer, ModelDelta, ModelRequest } from "../model.ts";
import { ModelError } from "../model.ts";
import { pacedDeltas, untilAborted } from "./paced-deltas.ts";
import type { Scenario, ScenarioTurn } from "./scenario.ts";
import type { TurnClaim } from "./script-position.ts";
import { ScriptPosition } from "./script-position.ts";
import { faultError, faults } from "./scripted-fault.ts";
import type { ScriptedReply } from "./scripted-reply.ts";
import { newProviderId } from "../provider-id.ts";
import { scriptedReply } from "./scripted-reply.ts";
import { TemplateError } from "./template-syntax.ts";

/** A model whose replies come from a scenario. Everything around it (agents, tools, permissions) is real. */
export interface RehearsalModel extends Model {
  /** Turns that no request has reached so far. */
  unusedTurns(): ScenarioTurn[];
}

export function createRehearsal(scenario: Scenario): RehearsalModel {
  // The position of an evicted agent is derived again from its conversation.
  const agents = new LRUCache<string, ScriptedAgent>({ max: 2000 });
  const reached = new Set<ScenarioTurn>();

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelDelta, ModelAnswer> {
    signal.throwIfAborted();
    if (request.origin.purpose === "summary") return scriptedSummary(request, agents);
    const agent = agents.get(request.origin.agentId) ?? newAgent(scenario, request);
    agents.set(request.origin.agentId, agent);
    const claim = agent.position.claim(request);
    const { turn } = claim;
    reached.add(turn);

    const fault = agent.position.takeFault(turn);
    const spoilt = fault?.kind === "malformed-call";
    const { content, pieces, malformed } = replyTo(claim, scenario, spoilt);
    const arriving =
      fault === undefined ? pieces.length : faults[fault.kind].arriving(pieces.length);
    yield* pacedDeltas(pieces.slice(0, arriving), scenario.speed, signal);
    const error = fault && faultError(fault, `${scenario.source}:${turn.line}`);
    if (error !== undefined) throw error;
    if (fault?.kind === "stall") return await untilAborted(signal);

    const { usage, prefix } = estimateUsage(request, content, agent.prefix);
    agent.prefix = prefix;
    agent.position.answered({ malformed: spoilt });
    const calls = content.some((block) => block.type === "tool_use");
    return {
      id: newProviderId("msg"),
      requestId: newProviderId("req"),
      // Never the bare name: no reader of transcripts may mistake a scripted answer for the model's, or price it.
      model: `rehearsal/${request.model}`,
      message: { role: "assistant", content },
      stopReason: turn.stop ?? (calls ? "tool_use" : "end_turn"),
      usage: turn.usage ?? usage,
      malformed,
    };
  }

  return {
    provider: "rehearsal",
    scripted: true,
    stream,
    unusedTurns: () => scenario.turns.filter((turn) => !reached.has(turn)),
  };
}

/** Answers a request for a summary. Scripts do not cover summaries, and a summary uses up no turn. */
function scriptedSummary(
  request: ModelRequest,
  agents: Pick<LRUCache<string, ScriptedAgent>, "peek">,
): ModelAnswer {
  const answers = request.messages.filter(({ role }) => role === "assistant").length;
  const text = `after ${answers} ${answers === 1 ? "answer" : "answers"} of the script`;
  const content = [{ type: "text" as const, text }];
  const prefix = agents.peek(request.origin.agentId)?.prefix;
  return {
    id: newProviderId("msg"),
    requestId: newProviderId("req"),
    model: `rehearsal/${request.model}`,
    message: { role: "assistant", content },
    stopReason: "end_turn",
    usage: estimateUsage(request, content, prefix).usage,
    malformed: {},
  };
}

interface ScriptedAgent {
  readonly position: ScriptPosition;
  prefix: RequestPrefix;
}

function newAgent(scenario: Scenario, request: ModelRequest): ScriptedAgent {
  return { position: new ScriptPosition(scenario, request), prefix: [] };
}

function replyTo({ turn, scope }: TurnClaim, scenario: Scenario, spoilt: boolean): ScriptedReply {
  try {
    return scriptedReply(turn.reply, scope, { spoilt });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new ModelError("unscripted", `${scenario.source}:${turn.line}: ${error.message}.`, {
      cause: error,
    });
  }
}
