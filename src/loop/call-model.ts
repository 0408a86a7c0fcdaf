import type { Message } from "../message.ts";
import { ModelError, type ModelAnswer, type ModelRequest } from "../model/model.ts";
import { toolSpec } from "../tools/tool.ts";
import type { LoopContext } from "./loop-context.ts";
import { retried } from "./retried.ts";

/** One answer of the model: streamed, retried while faults pass, given up when it stalls. */
export function callModel(
  context: LoopContext,
  messages: readonly Message[],
  turn: number,
): Promise<ModelAnswer> {
  const { agent, steps } = context;
  // Numbered over the whole conversation, so that a later task of the same agent has keys of its own.
  const key = `model/${messages.filter((message) => message.role === "assistant").length + 1}`;
  const ask = (attempt: number): Promise<ModelAnswer> => {
    const request: ModelRequest = {
      model: agent.costs.model,
      system: agent.sees.system,
      tools: [...context.tools.values()].map(toolSpec),
      messages: [...messages],
      ...(agent.costs.effort === null ? {} : { effort: agent.costs.effort }),
      ...(agent.costs.thinks ? {} : { thinking: "off" as const }),
      origin: { agentId: agent.id, agentType: agent.type, turn, attempt },
    };
    return streamOnce(context, request);
  };
  return steps.run(key, { repeatable: true }, () => retried(context, ask));
}

/**
 * Ends with the answer, or as soon as the agent is aborted or the model falls silent, whether or not the model heeds
 * the signal it was given. Nothing is emitted after that.
 */
async function streamOnce(
  { model, limits, signal, report }: LoopContext,
  request: ModelRequest,
): Promise<ModelAnswer> {
  signal.throwIfAborted();
  const cut = new AbortController();
  const cutOff = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    cut.abort(reason);
    cutOff.reject(reason);
  };
  const follow = (): void => end(signal.reason);
  const watchdog = setTimeout(() => {
    const seconds = limits.modelStall / 1000;
    end(new ModelError("stalled", `The model sent nothing for ${seconds} s.`));
  }, limits.modelStall);
  signal.addEventListener("abort", follow, { once: true });

  const stream = model.stream(request, cut.signal);
  const read = async (): Promise<ModelAnswer> => {
    for (;;) {
      const { done, value } = await stream.next();
      cut.signal.throwIfAborted();
      watchdog.refresh();
      if (done === true) return value;
      if (value.type === "alive") continue;
      report.emit({
        type: value.type === "text" ? "text-delta" : "thinking-delta",
        text: value.text,
      });
    }
  };
  try {
    return await Promise.race([read(), cutOff.promise]);
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", follow);
    // Not awaited: a model that does not heed its signal must not hold up the agent.
    stream.return(undefined as never).catch(() => undefined);
  }
}
