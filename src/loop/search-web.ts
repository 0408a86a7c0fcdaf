import { ModelError } from "../model/model.ts";
import { searchCost } from "../model/prices.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { LoopContext } from "./loop-context.ts";
import { retried } from "./retried.ts";

/** The provider's search for one tool call: retried like any request, given up when it hangs, and counted. */
export function searchFor(context: LoopContext, callId: string): ToolContext["search"] {
  const { agent, model, limits, prices, signal, report } = context;
  if (model.search === undefined) return undefined;
  const search = model.search.bind(model);
  return async (query) => {
    const found = await retried(context, async () => {
      const late = AbortSignal.timeout(limits.modelStall);
      try {
        const asked = { ...query, model: agent.costs.model };
        return await search(asked, AbortSignal.any([signal, late]));
      } catch (error) {
        signal.throwIfAborted();
        if (!late.aborted) throw error;
        const seconds = limits.modelStall / 1000;
        throw new ModelError("stalled", `The search had no answer within ${seconds} s.`);
      }
    });
    const costUsd = searchCost(found, prices);
    report.emit({ type: "tool-spend", callId, model: found.model, usage: found.usage, costUsd });
    return found;
  };
}
