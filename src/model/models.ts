import type { ResolvedAgent } from "../contract/resolved-agent.ts";
import type { Model, WebQuery } from "./model.ts";

/** The models of a session: its own, and others that the host gave a name. */
export interface Models {
  /** The model that answers an agent. */
  for(agent: AskingAgent): Model;
  /** The provider in `provider/model`; where a name has none, that of the session's own model. */
  providerOf(name: string): string;
  /** At least one of them can search the web. */
  readonly canSearch: boolean;
}

export type AskingAgent = { readonly costs: Pick<ResolvedAgent["costs"], "model"> };

/**
 * `provider/model` goes to the model that the host calls `provider`, which is asked for `model`. Every other name goes to the
 * session's own model as it is: gateways have names with a slash of their own.
 */
export function createModels(own: Model, others: Readonly<Record<string, Model>>): Models {
  const byProvider = new Map(
    Object.entries(others).map(([provider, model]) => [provider, withoutProvider(provider, model)]),
  );
  return {
    for: ({ costs }) => byProvider.get(providerIn(costs.model) ?? "") ?? own,
    providerOf: (name) => providerIn(name) ?? own.provider,
    canSearch: [own, ...byProvider.values()].some((model) => model.search !== undefined),
  };
}

function providerIn(name: string): string | undefined {
  const slash = name.indexOf("/");
  return slash > 0 ? name.slice(0, slash) : undefined;
}

/** The same model, asked under names that begin with its provider. */
function withoutProvider(provider: string, model: Model): Model {
  const own = <Asked extends { model: string }>(asked: Asked): Asked => ({
    ...asked,
    model: asked.model.slice(provider.length + 1),
  });
  const search = model.search?.bind(model);
  return {
    provider: model.provider,
    scripted: model.scripted,
    stream: (request, signal) => model.stream(own(request), signal),
    ...(search && {
      search: (query: WebQuery, signal: AbortSignal) => search(own(query), signal),
    }),
  };
}
