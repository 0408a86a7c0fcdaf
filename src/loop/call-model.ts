import type { AgentEventBody } from "../events/event.ts";
import type { Message } from "../message.ts";
import { ModelError, type ModelAnswer, type ModelRequest } from "../model/model.ts";
import { withRetry } from "../model/retry.ts";
import { toolSpec } from "../tools/tool.ts";
import type { LoopContext } from "./loop-context.ts";
import { relay, type Emit } from "./relay.ts";

/** One answer of the model: streamed, retried while faults pass, given up when it stalls. */
export async function* callModel(
  context: LoopContext,
  messages: readonly Message[],
  turn: number,
): AsyncGenerator<AgentEventBody, ModelAnswer> {
  const { agent, steps, limits, signal } = context;
  // Numbered over the whole conversation, so that a later task of the same agent has keys of its own.
  const key = `model/${messages.filter((message) => message.role === "assistant").length + 1}`;
  return yield* relay((emit) =>
    steps.run(key, { repeatable: true }, () =>
      withRetry(
        (attempt) => {
          const request: ModelRequest = {
            model: agent.costs.model,
            system: agent.sees.system,
            tools: [...context.tools.values()].map(toolSpec),
            messages: [...messages],
            ...(agent.costs.effort === null ? {} : { effort: agent.costs.effort }),
            ...(agent.costs.thinks ? {} : { thinking: "off" as const }),
            origin: { agentId: agent.id, agentType: agent.type, turn, attempt },
          };
          return streamOnce(context, request, emit);
        },
        {
          policy: limits.retry,
          signal,
          random: () => steps.random(),
          onRetry: ({ attempt, error, delayMs }) =>
            emit({
              type: "model-retry",
              attempt,
              code: error.code,
              message: error.message,
              delayMs,
            }),
        },
      ),
    ),
  );
}

async function streamOnce(
  context: LoopContext,
  request: ModelRequest,
  emit: Emit,
): Promise<ModelAnswer> {
  const { model, limits, signal } = context;
  const seconds = limits.modelStall / 1000;
  const stalled = new AbortController();
  const watchdog = setTimeout(() => {
    stalled.abort(new ModelError("stalled", `The model sent nothing for ${seconds} s.`));
  }, limits.modelStall);
  const either = AbortSignal.any([signal, stalled.signal]);
  const stream = model.stream(request, either);
  const aborted = abortOf(either);
  try {
    for (;;) {
      const { done, value } = await Promise.race([stream.next(), aborted.promise]);
      either.throwIfAborted();
      watchdog.refresh();
      if (done === true) return value;
      if (value.type === "alive") continue;
      emit({ type: value.type === "text" ? "text-delta" : "thinking-delta", text: value.text });
    }
  } finally {
    clearTimeout(watchdog);
    aborted.forget();
    // Not awaited: a model that does not heed its signal must not hold up the agent.
    stream.return(undefined as never).catch(() => undefined);
  }
}

/** A promise that rejects when the signal aborts, for as long as somebody waits for it. */
function abortOf(signal: AbortSignal): { promise: Promise<never>; forget: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const abort = (): void => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return { promise, forget: () => signal.removeEventListener("abort", abort) };
}
