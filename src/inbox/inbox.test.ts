import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../platform/clock.ts";
import { call, never, question, setDesk } from "./inbox-fixture.ts";
import type { Answer } from "./request.ts";

const once: Answer = { verdict: "allow", scope: "once" };
const settledIds = (events: { type: string; request: { id: string } }[]): string[] =>
  events.filter(({ type }) => type === "settled").map(({ request }) => request.id);

/** Until the inbox has told its subscribers that many times. */
async function heard(events: readonly unknown[], count: number): Promise<void> {
  while (events.length < count) await new Promise((resolve) => setImmediate(resolve));
}

test("twenty agents asking at once lose and duplicate no question, and each gets its own answer", async () => {
  const { inbox, events, listen, directory, audit } = setDesk();
  listen();
  const agents = Array.from({ length: 20 }, (_, n) => `a${n}`);
  const asked = agents.map((agentId) =>
    inbox.ask(call({ agentId, input: { command: `make ${agentId}` } }), never),
  );
  await heard(events, 20);
  const open = inbox.list();
  expect(new Set(open.map(({ agentId }) => agentId))).toEqual(new Set(agents));
  expect(new Set(open.map(({ id }) => id)).size).toBe(20);
  expect(readdirSync(directory)).toHaveLength(20);
  // In another order than they came.
  for (const { id, agentId } of open.toReversed())
    await inbox.answer(id, { verdict: "deny", message: `no, ${agentId}` });
  const answers = await Promise.all(asked);
  expect(answers.map(({ answer }) => answer)).toEqual(
    agents.map((agentId) => ({ verdict: "deny", message: `no, ${agentId}` })),
  );
  expect(inbox.list()).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
  expect(settledIds(events).toSorted()).toEqual(open.map(({ id }) => id).toSorted());
  expect(audit().filter(({ fact }) => fact === "asked")).toHaveLength(20);
  expect(audit().filter(({ fact }) => fact === "denied")).toHaveLength(20);
});

test("a question is on disk, private and whole, when the first one hears of it", async () => {
  const { inbox, directory } = setDesk();
  const seen: unknown[] = [];
  inbox.subscribe((event) => {
    if (event.type !== "asked") return;
    const file = join(directory, `${event.request.id}.json`);
    const { request } = JSON.parse(readFileSync(file, "utf8")) as { request: unknown };
    seen.push(request, statSync(file).mode & 0o777, statSync(directory).mode & 0o777);
    void inbox.answer(event.request.id, once);
  });
  const input = { command: "echo ".padEnd(100_000, "x") };
  await inbox.ask(call({ input }), never);
  expect(seen).toEqual([expect.objectContaining({ input }), 0o600, 0o700]);
});

test("open questions are listed in the order in which they were asked, however long storing them took", async () => {
  const { inbox, events, listen } = setDesk({ clock: { ...systemClock, now: () => 0 } });
  listen();
  const sizes = [4_000_000, 1_000_000, 1];
  for (const size of sizes)
    void inbox.ask(call({ input: { text: "x".repeat(size) } }), never).catch(() => undefined);
  await heard(events, sizes.length);
  expect(inbox.list().map(({ input }) => String(input["text"]).length)).toEqual(sizes);
});

test("where nobody can answer, it is denied at once and says so; with a subscriber it is asked", async () => {
  const { inbox, events, listen, audit, directory } = setDesk();
  expect(inbox.attended).toBe(false);
  const { answer, by } = await inbox.ask(call(), never);
  expect([answer.verdict, by]).toEqual(["deny", "nobody"]);
  expect(JSON.stringify(answer)).toContain("No person can answer");
  expect(audit().map(({ fact, by }) => [fact, by])).toEqual([
    ["asked", undefined],
    ["denied", "nobody"],
  ]);
  expect(existsSync(directory)).toBe(false);
  const leave = listen();
  expect(inbox.attended).toBe(true);
  const asked = inbox.ask(call(), never);
  await heard(events, 1);
  leave();
  expect((await asked).by).toBe("nobody");
  expect(setDesk({ attended: true }).inbox.attended).toBe(true);
});

test("when the last one who could answer leaves while a question is being stored, it is denied", async () => {
  const { inbox, listen, events, directory } = setDesk();
  const leave = listen();
  const asked = inbox.ask(call(), never);
  // Within one turn of the event loop: storing takes several.
  while (!existsSync(directory)) await Promise.resolve();
  leave();
  expect((await asked).by).toBe("nobody");
  expect(events).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

test("when the last one leaves while an answer fails to be stored, the question is denied", async () => {
  const { inbox, events, listen, directory } = setDesk();
  const leave = listen();
  const asked = inbox.ask(call(), never);
  await heard(events, 1);
  const answered = inbox.answer("q", { verdict: "allow", scope: "always" });
  leave();
  await expect(answered).rejects.toThrow(/this folder is not trusted/);
  expect((await asked).by).toBe("nobody");
  expect(readdirSync(directory)).toEqual([]);
});

test("an answer is applied exactly once; the second is told who was first", async () => {
  const { inbox, events, listen } = setDesk();
  listen();
  const asked = inbox.ask(call(), never);
  await heard(events, 1);
  const id = inbox.list()[0]?.id ?? "";
  await inbox.answer(id.slice(0, 4), once, "ada");
  await expect(inbox.answer(id, { verdict: "deny" })).rejects.toThrow(/already answered by ada/);
  await expect(inbox.answer("q", once)).rejects.toThrow(/already answered by ada/);
  await expect(inbox.answer("", once)).rejects.toThrow(/There is no open request ''/);
  await expect(inbox.answer("zz", once)).rejects.toThrow(/There is no open request 'zz'/);
  expect(await asked).toEqual({ answer: once, by: "ada" });
  expect(settledIds(events)).toEqual([id]);
});

test("two answers in the same moment: one holds, also while a rule is being stored", async () => {
  const { inbox, events, listen } = setDesk();
  listen();
  const asked = inbox.ask(call(), never);
  await heard(events, 1);
  const id = inbox.list()[0]?.id ?? "";
  const results = await Promise.allSettled([
    inbox.answer(id, { verdict: "allow", scope: "agent-always" }, "ada"),
    inbox.answer(id, { verdict: "deny" }, "bob"),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect((await asked).by).toBe("ada");
});

test("the beginning of two ids is ambiguous", async () => {
  const { inbox, events, listen } = setDesk();
  listen();
  const asked = [inbox.ask(call(), never), inbox.ask(call(), never)];
  await heard(events, 2);
  await expect(inbox.answer("q", once)).rejects.toThrow(/'q' means 2 requests: q/);
  for (const { id } of inbox.list()) await inbox.answer(id, once);
  await Promise.all(asked);
});

describe("deadlines", () => {
  test("the default answers when the time is over: deny, or allow once where the asker said so", async () => {
    const { inbox, listen, audit } = setDesk();
    listen();
    const denied = await inbox.ask(call({ timeoutMs: 1 }), never);
    expect(denied).toMatchObject({ by: "deadline", answer: { verdict: "deny" } });
    const allowed = await inbox.ask(call({ timeoutMs: 1, onDeadline: "allow" }), never);
    expect(allowed).toEqual({ by: "deadline", answer: once });
    expect(audit().filter(({ fact }) => fact === "expired")).toHaveLength(2);
  });

  test("the inbox has a default of its own, and a question is never answered by one", async () => {
    const { inbox, listen } = setDesk({ timeoutMs: 1 });
    listen();
    const { answer } = await inbox.ask(call({ ...question, onDeadline: "allow" }), never);
    expect(answer.verdict).toBe("deny");
  });
});

test("an asker that gives up withdraws its question", async () => {
  const { inbox, events, listen, audit, directory } = setDesk();
  listen();
  const controller = new AbortController();
  const asked = inbox.ask(call(), controller.signal);
  const left = expect(asked).rejects.toThrow("stopped by a person");
  await heard(events, 1);
  const id = inbox.list()[0]?.id ?? "";
  controller.abort(new Error("stopped by a person"));
  await left;
  expect(inbox.list()).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: "settled", answered: null });
  expect(audit().map(({ fact }) => fact)).toEqual(["asked", "withdrawn"]);
  await expect(inbox.answer(id, once)).rejects.toThrow(/no longer waits/);
});

test("closing withdraws what is open, and nothing can be asked afterwards", async () => {
  const { inbox, events, listen } = setDesk();
  listen();
  const left = expect(inbox.ask(call(), never)).rejects.toThrow("The session is closed");
  await heard(events, 1);
  await inbox[Symbol.asyncDispose]();
  await left;
  await expect(inbox.ask(call(), never)).rejects.toThrow("The session is closed");
});

describe("checks", () => {
  test("come before any person, in order; one that fails or answers nonsense is logged and it is asked", async () => {
    const ran: string[] = [];
    const { inbox, listen, events, warnings } = setDesk({
      checks: [
        async () => {
          ran.push("first");
          throw new Error("broken hook");
        },
        async () => {
          ran.push("second");
          return { verdict: "reply", answers: {} };
        },
        async ({ tool }) => {
          ran.push("third");
          return tool === "Bash" ? once : null;
        },
      ],
    });
    listen();
    expect(await inbox.ask(call(), never)).toEqual({ answer: once, by: "check" });
    expect(events).toEqual([]);
    expect(ran).toEqual(["first", "second", "third"]);
    expect(warnings).toEqual([
      expect.stringContaining("broken hook") as string,
      expect.stringContaining("is a request for permission") as string,
    ]);
    void inbox.ask(call({ tool: "Edit" }), never).catch(() => undefined);
    await heard(events, 1);
    expect(inbox.list().map(({ tool }) => tool)).toEqual(["Edit"]);
  });

  test("answer also where nobody is there", async () => {
    const { inbox } = setDesk({ checks: [async () => once] });
    expect((await inbox.ask(call(), never)).by).toBe("check");
  });
});

describe("what one answer settles", () => {
  const covers = (rules: readonly string[], { input }: { input: Record<string, unknown> }) =>
    rules.includes(`Bash(${String(input["command"])})`);
  const asks = [
    call({ agentId: "a1" }),
    call({ agentId: "a1", input: { command: "rm x" } }),
    call({ agentId: "a1" }),
    call({ agentId: "a2" }),
    call({ agentId: "a3", definitionHash: "hash-2" }),
  ];
  const cases = [
    ["once", []],
    ["agent", ["a1"]],
    ["agent-always", ["a1", "a2"]],
    ["session", ["a1", "a2", "a3"]],
  ] as const;
  test.each(cases)("'%s' also settles the same call of %j", async (scope, others) => {
    const { inbox, events, listen } = setDesk({ covers });
    listen();
    const asked = asks.map((one) => inbox.ask(one, never).catch(() => null));
    await heard(events, asks.length);
    const meant = inbox
      .list()
      .find(({ agentId, input }) => agentId === "a1" && input["command"] === "make all");
    const settled = await inbox.answer(meant?.id ?? "", { verdict: "allow", scope });
    expect(
      settled
        .slice(1)
        .map(({ agentId }) => agentId)
        .toSorted(),
    ).toEqual(others);
    expect(inbox.list()).toHaveLength(asks.length - 1 - others.length);
    await inbox[Symbol.asyncDispose]();
    await Promise.all(asked);
  });

  test("a question that was on its way when the grant was given is not asked any more", async () => {
    const slow = Promise.withResolvers<null>();
    const { inbox, events, listen } = setDesk({
      covers,
      checks: [({ agentId }) => (agentId === "a2" ? slow.promise : Promise.resolve(null))],
    });
    listen();
    const late = inbox.ask(call({ agentId: "a2" }), never);
    const first = inbox.ask(call(), never);
    await heard(events, 1);
    await inbox.answer("q", { verdict: "allow", scope: "session" }, "ada");
    await first;
    slow.resolve(null);
    expect(await late).toMatchObject({ by: "ada", answer: { verdict: "allow" } });
    expect(events.filter(({ type }) => type === "asked")).toHaveLength(1);
  });
});

test("a rule that cannot be stored leaves the question open, and the answer says why", async () => {
  const { inbox, events, listen } = setDesk();
  listen();
  const suggestions = ["Bash(make all)", "Bash(make test)"];
  const asked = inbox.ask(call({ suggestions }), never);
  await heard(events, 1);
  const always: Answer = { verdict: "allow", scope: "always" };
  await expect(inbox.answer("q", always)).rejects.toThrow(/this folder is not trusted/);
  expect(inbox.list()).toHaveLength(1);
  await inbox.answer("q", { ...always, file: "user" });
  expect((await asked).answer).toMatchObject({ scope: "always", rules: suggestions });
});

describe("answers that do not fit leave the question open", () => {
  const rules = (...rules: string[]): Answer => ({ verdict: "allow", scope: "session", rules });
  const cases: [string, Partial<Parameters<typeof call>[0]>, unknown, RegExp][] = [
    ["words to a permission", {}, { verdict: "reply", answers: {} }, /is a request for permission/],
    ["a permission to a question", question, once, /it is a question/],
    ["an answer is missing", question, { verdict: "reply", answers: {} }, /missing to: Which one/],
    ["no rule to keep", { suggestions: [] }, { verdict: "allow", scope: "agent" }, /name a rule/],
    ["a rule for once", {}, { ...once, rules: ["Bash"] }, /once stores no rule/],
    ["a file for a session", {}, { verdict: "allow", scope: "session", file: "user" }, /file out/],
    [
      "a suggestion for another input than was asked about",
      {},
      { verdict: "allow", scope: "agent", input: { command: "x" } },
      /name a rule/,
    ],
    ["a misspelt rule", {}, rules("Edit", "Bsh(touch *)"), /Did you mean 'Bash'\?/],
    ["a rule for any tool", {}, rules("B*"), /'B\*' allows nothing/],
    ["a rule that is none", {}, rules("Bash(a"), /is not a rule/],
    ["an unknown field", {}, { ...once, force: true }, /not valid/],
    ["nothing", {}, null, /not valid/],
  ];
  test.each(cases)("%s", async (_, fields, answer, message) => {
    const { inbox, events, listen } = setDesk();
    listen();
    void inbox.ask(call(fields), never).catch(() => undefined);
    await heard(events, 1);
    await expect(inbox.answer("q", answer as Answer)).rejects.toThrow(message);
    expect(inbox.list()).toHaveLength(1);
  });
});

test("a listener that throws disturbs neither the asker nor the others", async () => {
  const { inbox, events, listen, warnings } = setDesk();
  inbox.subscribe(() => {
    throw new Error("a broken page");
  });
  listen();
  const asked = inbox.ask(call(question), never);
  await heard(events, 1);
  await inbox.answer("q", { verdict: "reply", answers: { "Which one?": ["a", "b"] } });
  expect((await asked).answer.verdict).toBe("reply");
  expect(warnings[0]).toContain("a broken page");
});
