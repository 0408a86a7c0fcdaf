import { errorMessage } from "../contract/errors.ts";
import type { WebFindings } from "../model/model.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { LoopContext } from "./loop-context.ts";
import { readAnswer } from "./read-answer.ts";
import { retried } from "./retried.ts";

/** Most requests for one search. The provider pauses a long search; each pause is one more request. */
const mostRequests = 5;

/** The provider's search, for the tool calls of one agent. Each request is retried by itself. */
export function searchFor(context: LoopContext): ToolContext["search"] {
  const { agent, model, signal, steps } = context;
  if (model.search === undefined) return undefined;
  const search = model.search.bind(model);
  return async (query) => {
    let found: WebFindings | undefined;
    for (let request = 1; ; request += 1) {
      const rest = found?.rest === undefined ? {} : { rest: found.rest };
      const asked = { ...query, model: agent.costs.model, ...rest };
      const askedAt = steps.now();
      try {
        found = await retried(context, () =>
          readAnswer(
            context,
            (signal) => search(asked, signal, askedAt),
            () => undefined,
          ),
        );
      } catch (error) {
        signal.throwIfAborted();
        // Earlier findings are worth more than the rest.
        if (found === undefined) throw error;
        return { ...found, problems: [...found.problems, errorMessage(error)] };
      }
      if (found.rest === undefined || request === mostRequests) return found;
    }
  };
}
