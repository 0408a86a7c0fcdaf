import { expect, test } from "vitest";
import { PlainHeaders } from "./plain-headers.ts";
import { Exchange } from "./exchange.ts";

const head = { status: 200, statusText: "OK", headers: new PlainHeaders() };

/** One that is being answered, and how often its connection was closed. */
function answered(signal: AbortSignal | null = null) {
  const exchange = new Exchange(signal);
  const seen = { told: [] as string[], hungUp: 0 };
  exchange.carriedBy(() => (seen.hungUp += 1));
  exchange.takeHead(head);
  const reader = {
    data: (text: string) => seen.told.push(text),
    end: () => seen.told.push("end"),
    fail: (error: Error) => seen.told.push(`fail: ${error.message}`),
  };
  return { exchange, seen, reader };
}

test.each([null, undefined, "", "enough", { a: 1 }, new Error("enough")])(
  "whatever the reason of an abort (%s), half a body is never a whole one",
  async (reason) => {
    const controller = new AbortController();
    const { exchange, seen, reader } = answered(controller.signal);
    exchange.read(reader);
    exchange.takeData(Buffer.from("half"));
    controller.abort(reason);
    exchange.takeEnd();
    expect(seen.told).toEqual(["half", expect.stringMatching(/^fail: ./)]);
    expect(seen.hungUp).toBe(1);
  },
);

test("who reads late hears all of it, and its end", () => {
  const { exchange, seen, reader } = answered();
  exchange.takeData(Buffer.from("a\u00E4").subarray(0, 2));
  exchange.takeData(Buffer.from("\u00E4").subarray(1));
  exchange.takeEnd();
  exchange.read(reader);
  expect(seen.told).toEqual(["a", "\u00E4", "end"]);
  const broken = answered();
  broken.exchange.takeData(Buffer.from("half"));
  broken.exchange.fail(new Error("broken"));
  broken.exchange.read(broken.reader);
  expect(broken.seen.told).toEqual(["half", "fail: broken"]);
});

test("a body is read once", async () => {
  const { exchange } = answered();
  const first = exchange.text();
  await expect(exchange.text()).rejects.toThrow("only once");
  exchange.takeData(Buffer.from("all"));
  exchange.takeEnd();
  expect(await first).toBe("all");
  await expect(exchange.text()).rejects.toThrow("only once");
});

test("a reader that breaks off hears nothing more, and the connection is closed once", () => {
  const { exchange, seen, reader } = answered();
  exchange.read({
    ...reader,
    data: (text) => {
      reader.data(text);
      exchange.destroy(new Error("enough"));
      exchange.destroy(new Error("again"));
    },
  });
  exchange.takeData(Buffer.from("one"));
  exchange.takeData(Buffer.from("two"));
  exchange.takeEnd();
  exchange.fail(new Error("late"));
  expect(seen).toEqual({ told: ["one", "fail: enough"], hungUp: 1 });
});

test("a rest that is waited for can be aborted, and leaves no timer", () => {
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  const controller = new AbortController();
  const { exchange, seen, reader } = answered(controller.signal);
  exchange.read(reader);
  exchange.finish();
  expect(timers()).toBe(before + 1);
  exchange.takeData(Buffer.from("for nobody"));
  controller.abort(new Error("enough"));
  expect(timers()).toBe(before);
  expect(seen).toEqual({ told: [], hungUp: 1 });
});
