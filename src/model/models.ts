import type { ResolvedAgent } from "../contract/resolved-agent.ts";
import type { Model, WebQuery } from "./model.ts";

/** The models of a session: its own, and others that the host named. */
export interface Models {
  /** The model that answers an agent. */
  for(agent: AskingAgent): Model;
  /** The provider in `provider/model`; for a name without one, that of the session's own model. */
  providerOf(name: string): string;
  /** Whether at least one of them can search the web. */
  readonly canSearch: boolean;
}

export type AskingAgent = { readonly costs: Pick<ResolvedAgent["costs"], "model"> };

/**
 * Creates the models of a session. `provider/model` goes to the model that the host calls `provider`, with `model` as
 * the name. Every other name goes unchanged to the session's own model: gateways have names with slashes too.
 */
export function createModels(own: Model, others: Readonly<Record<string, Model>>): Models {
  const byProvider = new Map(
    Object.entries(others).map(([provider, model]) => [provider, withoutProvider(provider, model)]),
  );
  return {
    for: ({ costs }) => byProvider.get(providerIn(costs.model) ?? "") ?? own,
    providerOf: (name) => {
      const provider = providerIn(name);
      return provider !== undefined && byProvider.has(provider) ? provider : own.provider;
    },
    canSearch: [own, ...byProvider.values()].some((model) => model.search !== undefined),
  };
}

function providerIn(name: string): string | undefined {
  const slash = name.indexOf("/");
  return slash > 0 ? name.slice(0, slash) : undefined;
}

/** The same model for names that begin with its provider. */
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
