import type { Message } from "../contract/message.ts";
import type { Priced } from "../model/metered.ts";
import type { ModelAnswer, ModelRequest } from "../model/model.ts";
import type { LoopContext } from "./loop-context.ts";
import { readAnswer } from "./read-answer.ts";
import { retried } from "./retried.ts";

/** Asks for one answer of the model: streamed, retried while faults are temporary, given up on a stall. */
export function callModel(
  context: LoopContext,
  messages: readonly Message[],
  turn: number,
): Promise<Priced<ModelAnswer>> {
  const { agent, model, steps, report } = context;
  // Numbered over the whole conversation, so that a later task of the same agent has other keys.
  const key = `model/${messages.filter((message) => message.role === "assistant").length + 1}`;
  const ask = (attempt: number): Promise<Priced<ModelAnswer>> => {
    const request: ModelRequest = {
      model: agent.costs.model,
      system: agent.sees.system,
      tools: context.toolSpecs,
      messages: [...messages],
      ...(agent.costs.effort === null ? {} : { effort: agent.costs.effort }),
      ...(agent.costs.thinks ? {} : { thinking: "off" as const }),
      origin: { agentId: agent.id, agentType: agent.type, turn, attempt },
    };
    context.cacheSafe?.publish(request);
    return readAnswer(
      context,
      (signal) => model.stream(request, signal),
      ({ type, text }) =>
        report.emit({ type: type === "text" ? "text-delta" : "thinking-delta", text }),
    );
  };
  return steps.run(key, { repeatable: true }, () => retried(context, ask));
}
