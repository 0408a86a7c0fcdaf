import { expect, test } from "vitest";
import { metered, type MeteredModel, type Spend } from "./metered.ts";
import type { Model, ModelAnswer, ModelDelta, ModelRequest, WebFindings } from "./model.ts";

const usage = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 };
const part = { input: 500_000, output: 0, cacheRead: 0, cacheWrite: 0 };
const prices = { big: { input: 10, output: 0 } };
const reported: ModelDelta = { type: "usage", model: "big", usage: part };
const answer: ModelAnswer = {
  id: "msg",
  requestId: "req",
  model: "big",
  message: { role: "assistant", content: [] },
  stopReason: "end_turn",
  usage,
  malformed: {},
};
const findings: WebFindings = {
  model: "big",
  text: "",
  links: [],
  problems: [],
  usage,
  searches: 2,
};
const request = (purpose?: "summary"): ModelRequest => ({
  model: "big",
  system: "",
  tools: [],
  messages: [],
  origin: { agentId: "a", agentType: "t", turn: 1, attempt: 1, ...(purpose && { purpose }) },
});
const { signal } = new AbortController();

function meter(model: Partial<Model>): { model: MeteredModel; spends: Spend[] } {
  const spends: Spend[] = [];
  let now = 0;
  const account = {
    prices,
    now: () => (now += 5),
    emit: (spend: Spend) => void spends.push(spend),
  };
  const unused = (): never => {
    throw new Error("Nobody asks.");
  };
  const whole = { provider: "test", scripted: false, stream: unused, ...model };
  return { model: metered(whole, account), spends };
}

async function whole<Answer>(arriving: AsyncGenerator<ModelDelta, Answer>): Promise<Answer> {
  for (;;) {
    const step = await arriving.next();
    if (step.done === true) return step.value;
  }
}

async function* answered(): AsyncGenerator<ModelDelta, ModelAnswer> {
  yield reported;
  return answer;
}

test("an answer of the agent has its price, and no spend beside it", async () => {
  const { model, spends } = meter({ stream: answered });
  expect(await whole(model.stream(request(), signal))).toEqual({ ...answer, costUsd: 10 });
  expect(spends).toEqual([]);
});

test("a summary and a search are spends; a search counts its fees and its time from the first attempt", async () => {
  const { model, spends } = meter({
    stream: answered,
    // oxlint-disable-next-line require-yield -- an answer may come in one piece
    async *search() {
      return findings;
    },
  });
  await whole(model.stream(request("summary"), signal));
  expect(spends).toEqual([
    {
      type: "spend",
      what: "summary",
      model: "big",
      usage,
      searches: 0,
      costUsd: 10,
      durationMs: 5,
    },
  ]);
  const found =
    model.search && (await whole(model.search({ model: "big", query: "owls" }, signal, 1)));
  expect(found).toEqual({ ...findings, costUsd: 10.02 });
  // The clock stands at 15.
  expect(spends[1]).toMatchObject({ what: "search", searches: 2, costUsd: 10.02, durationMs: 14 });
});

test("an answer that breaks off is spent as far as its usage was reported, and nothing before that", async () => {
  const broken = async function* (): AsyncGenerator<ModelDelta, ModelAnswer> {
    yield reported;
    throw new Error("cut");
  };
  const { model, spends } = meter({ stream: broken });
  await expect(whole(model.stream(request(), signal))).rejects.toThrow("cut");
  expect(spends).toEqual([
    {
      type: "spend",
      what: "broken-answer",
      model: "big",
      usage: part,
      searches: 0,
      costUsd: 5,
      durationMs: 0,
    },
  ]);
  const refused = meter({
    // oxlint-disable-next-line require-yield -- it fails before anything comes
    async *stream() {
      throw new Error("no");
    },
  });
  await expect(whole(refused.model.stream(request(), signal))).rejects.toThrow("no");
  expect(refused.spends).toEqual([]);
});

test("a model that heeds no signal ends with it, and what was reported is spent", async () => {
  const abort = new AbortController();
  const { model, spends } = meter({
    async *stream() {
      yield reported;
      return await new Promise<never>(() => undefined);
    },
  });
  const arriving = model.stream(request(), abort.signal);
  await arriving.next();
  const next = arriving.next();
  abort.abort(new Error("enough"));
  await expect(next).rejects.toThrow("enough");
  expect(spends).toMatchObject([{ what: "broken-answer", usage: part }]);
});

test("an answer that is whole when its reader is aborted is a broken one, with all of its usage", async () => {
  const abort = new AbortController();
  const { model, spends } = meter({
    // oxlint-disable-next-line require-yield -- an answer may come in one piece
    async *stream() {
      abort.abort(new Error("enough"));
      return answer;
    },
  });
  await expect(whole(model.stream(request(), abort.signal))).rejects.toThrow("enough");
  expect(spends.map(({ what, usage: used }) => [what, used])).toEqual([["broken-answer", usage]]);
});

test("a reader that stops reading has spent what was reported, once", async () => {
  let isClosed = false;
  const { model, spends } = meter({
    async *stream() {
      try {
        yield reported;
        yield { type: "alive" };
        return answer;
      } finally {
        isClosed = true;
      }
    },
  });
  const arriving = model.stream(request(), signal);
  await arriving.next();
  await arriving.return(undefined as never);
  expect(isClosed).toBe(true);
  expect(spends).toMatchObject([{ what: "broken-answer", usage: part }]);
});

test("nothing is sent once the signal has aborted", async () => {
  let sent = 0;
  const { model, spends } = meter({
    async *stream() {
      sent += 1;
      yield reported;
      return answer;
    },
  });
  const arriving = model.stream(request(), AbortSignal.abort(new Error("late")));
  await expect(whole(arriving)).rejects.toThrow("late");
  expect([sent, spends]).toEqual([0, []]);
});

test("a model that cannot search has no search", () => {
  expect("search" in meter({ stream: answered }).model).toBe(false);
});
