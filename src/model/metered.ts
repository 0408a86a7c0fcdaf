import type { AgentEventBody } from "../events/event.ts";
import type { Usage } from "../contract/message.ts";
import { abortable } from "../platform/abortable.ts";
import type {
  Model,
  ModelAnswer,
  ModelDelta,
  ModelRequest,
  WebFindings,
  WebQuery,
} from "./model.ts";
import { answerCost, type PriceOverrides } from "./prices.ts";

/**
 * The model of one agent with its account. Every request of the agent goes through `send` below: the only place that
 * sends one, prices it and emits its spend.
 */
export function metered(model: Model, account: Account): MeteredModel {
  const search = model.search?.bind(model);
  return {
    provider: model.provider,
    scripted: model.scripted,
    stream: (request, signal) =>
      send(() => model.stream(request, signal), {
        account,
        signal,
        // The loop emits the agent's own answers, with their cost.
        what: request.origin.purpose,
        since: account.now(),
      }),
    ...(search && {
      search: (query: WebQuery, signal: AbortSignal, since = account.now()) =>
        send(() => search(query, signal), { account, signal, what: "search", since }),
    }),
  };
}

/** A `Model` that ends a request as soon as its signal aborts, even if the provider ignores the signal. */
export interface MeteredModel extends Model {
  stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelDelta, Priced<ModelAnswer>>;
  /** `since`: the time of the first attempt; the spend's duration begins there. */
  search?(
    query: WebQuery,
    signal: AbortSignal,
    since?: number,
  ): AsyncGenerator<ModelDelta, Priced<WebFindings>>;
}

/** `costUsd` in US dollars; `null` = unknown. */
export type Priced<Answer> = Answer & { readonly costUsd: number | null };

export interface Account {
  readonly prices: PriceOverrides;
  readonly now: () => number;
  readonly emit: (spend: Spend) => void;
}

export type Spend = Extract<AgentEventBody, { type: "spend" }>;

interface Counted {
  model: string;
  usage: Usage;
  searches?: number;
}

/** Sends one request. An incomplete answer is charged as far as its usage was reported. */
async function* send<Answer extends Counted>(
  start: () => AsyncGenerator<ModelDelta, Answer>,
  request: {
    account: Account;
    signal: AbortSignal;
    /** Absent: the caller emits the usage of a whole answer. */
    what: Spend["what"] | undefined;
    since: number;
  },
): AsyncGenerator<ModelDelta, Priced<Answer>> {
  const { account, signal, what, since } = request;
  signal.throwIfAborted();
  const arriving = start();
  let counted: Counted | undefined;
  let isWhole = false;
  try {
    for (;;) {
      const step = await abortable(arriving.next(), signal);
      if (step.done === true) counted = step.value;
      else if (step.value.type === "usage") counted = step.value;
      signal.throwIfAborted();
      if (step.done === true) {
        isWhole = true;
        const costUsd = answerCost(step.value, account.prices);
        if (what !== undefined)
          account.emit(spend(what, step.value, { costUsd, durationMs: account.now() - since }));
        return { ...step.value, costUsd };
      }
      yield step.value;
    }
  } finally {
    if (!isWhole) {
      // Not awaited: a model that ignores its signal must not delay the caller.
      arriving.return(undefined as never).catch(() => undefined);
      if (counted !== undefined) {
        const costUsd = answerCost(counted, account.prices);
        account.emit(spend("broken-answer", counted, { costUsd, durationMs: 0 }));
      }
    }
  }
}

function spend(
  what: Spend["what"],
  { model, usage, searches = 0 }: Counted,
  figures: Pick<Spend, "costUsd" | "durationMs">,
): Spend {
  return { type: "spend", what, model, usage, searches, ...figures };
}
