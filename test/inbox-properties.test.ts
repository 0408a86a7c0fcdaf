import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { answerRequest } from "../src/control/answer-request.ts";
import { serveDesk } from "../src/control/served-desk-fixture.ts";
import { call, setDesk } from "../src/inbox/inbox-fixture.ts";
import { RequestFiles } from "../src/inbox/request-files.ts";
import type { Answer, InboxRequest } from "../src/inbox/request.ts";
import { fc } from "./support/properties.ts";

const fates = ["once", "agent", "session", "deny", "socket", "abort", "deadline", "twice"] as const;
type Fate = (typeof fates)[number];

/** What befalls a request as soon as it is known. */
function befall(desk: ReturnType<typeof setDesk>, request: InboxRequest, abort: () => void): void {
  const fate = String(request.input["fate"]) as Fate;
  const give = (answer: Answer): void =>
    void desk.inbox.answer(request.id, answer).catch(() => undefined);
  if (fate === "abort") abort();
  else if (fate === "deny") give({ verdict: "deny" });
  else if (fate === "socket")
    void answerRequest(
      { request, files: new RequestFiles(desk.directory), pid: process.pid, processEnded: false },
      { verdict: "deny" },
    ).catch(() => undefined);
  else if (fate === "twice") {
    give({ verdict: "allow", scope: "agent-always" });
    give({ verdict: "deny" });
    abort();
  } else if (fate !== "deadline") give({ verdict: "allow", scope: fate });
}

test("whatever befalls them, every request is asked once, settled once, logged once and gone from the disk", async () => {
  const asks = fc.array(
    fc.record({
      fate: fc.constantFrom(...fates),
      agent: fc.integer({ min: 0, max: 3 }),
      make: fc.integer({ min: 0, max: 2 }),
    }),
    { minLength: 1, maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(asks, async (all) => {
      const desk = setDesk({
        covers: (rules, { suggestions }) => rules.some((rule) => suggestions.includes(rule)),
      });
      await serveDesk(desk);
      const controllers = all.map(() => new AbortController());
      const heard: string[] = [];
      desk.inbox.subscribe(({ type, request }) => {
        heard.push(`${type} ${request.id}`);
        if (type !== "asked") return;
        const controller = controllers[Number(request.input["index"])];
        befall(desk, request, () => controller?.abort(new Error("given up")));
      });
      const outcomes = await Promise.allSettled(
        all.map(({ fate, agent, make }, index) =>
          desk.inbox.ask(
            call({
              agentId: `a${agent}`,
              input: { fate, index },
              suggestions: [`Bash(make ${make})`],
              timeoutMs: fate === "deadline" ? 1 : null,
            }),
            controllers[index]?.signal ?? new AbortController().signal,
          ),
        ),
      );
      expect(outcomes).toHaveLength(all.length);
      const facts = desk.audit();
      const ids = new Set(facts.map(({ id }) => id));
      expect(ids.size).toBe(all.length);
      for (const id of ids) {
        expect(facts.filter((fact) => fact.id === id && fact.fact === "asked")).toHaveLength(1);
        expect(facts.filter((fact) => fact.id === id && fact.fact !== "asked")).toHaveLength(1);
        const told = heard.filter((line) => line.endsWith(id));
        // One that a grant had settled on its way was never told.
        expect([`asked ${id},settled ${id}`, ""]).toContain(told.join(","));
      }
      expect(desk.inbox.list()).toEqual([]);
      expect(readdirSync(desk.directory)).toEqual([]);
    }),
    { numRuns: 25 },
  );
});
