import type { WebFindings } from "../model/model.ts";
import { searchCost } from "../model/prices.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { LoopContext } from "./loop-context.ts";
import { readAnswer } from "./read-answer.ts";
import { retried } from "./retried.ts";

/** The provider pauses a long search; each pause is one more request. */
const mostRequests = 5;

/** The provider's search, for the tool calls of one agent. Each of its requests is retried, and counted, by itself. */
export function searchFor(context: LoopContext): ToolContext["search"] {
  const { agent, model, prices, steps, report } = context;
  if (model.search === undefined) return undefined;
  const search = model.search.bind(model);
  return async (query) => {
    const parts: WebFindings[] = [];
    let rest: unknown;
    do {
      const asked = { ...query, model: agent.costs.model, ...(rest === undefined ? {} : { rest }) };
      const askedAt = steps.now();
      const part = await retried(context, () =>
        readAnswer(
          context,
          (signal) => search(asked, signal),
          () => undefined,
        ),
      );
      report.emit({
        type: "spend",
        what: "search",
        model: part.model,
        usage: part.usage,
        searches: part.searches,
        costUsd: searchCost(part, prices),
        durationMs: steps.now() - askedAt,
      });
      parts.push(part);
      rest = part.rest;
    } while (rest !== undefined && parts.length < mostRequests);
    return {
      text: parts.map(({ text }) => text).join(""),
      links: parts.flatMap(({ links }) => links),
      problems: parts.flatMap(({ problems }) => problems),
    };
  };
}
