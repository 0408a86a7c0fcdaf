import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { requestDigest } from "../inbox/canonical.ts";
import { call, never, setDesk, type Desk } from "../inbox/inbox-fixture.ts";
import type { Answer, InboxRequest } from "../inbox/request.ts";
import { answerRequest } from "./answer-request.ts";
import { serveDesk } from "./served-desk-fixture.ts";

const allow = { verdict: "allow", scope: "once" } as const;
const own = `terminal (pid ${process.pid})`;

/** A desk with one open question, until it is answered. */
function askedDesk(): Desk & { asked: Promise<unknown> } {
  const desk = setDesk({ attended: true });
  const asked = desk.inbox.ask(call(), never);
  asked.catch(() => undefined);
  return { ...desk, asked };
}

test("an answer from another terminal is taken, and nothing of the request stays", async () => {
  const desk = askedDesk();
  const { found } = await serveDesk(desk);
  const answer = { verdict: "deny", message: "not now" } as const;
  await answerRequest(await found(), answer);
  expect(await desk.asked).toEqual({ answer, by: own });
  expect(readdirSync(desk.directory)).toEqual([]);
  expect(desk.audit().at(-1)).toMatchObject({ fact: "denied", by: own, message: "not now" });
});

test("an answer that does not fit is refused to whoever gave it, and the question stays open", async () => {
  const desk = askedDesk();
  const { found } = await serveDesk(desk);
  const odd = { verdict: "allow", scope: "ever" } as unknown as Answer;
  await expect(answerRequest(await found(), odd)).rejects.toMatchObject({
    code: "invalid_request",
  });
  expect(desk.inbox.list()).toHaveLength(1);
});

test("an answer is for the request that the person saw, and for no other", async () => {
  const desk = askedDesk();
  const shown = await (await serveDesk(desk)).found();
  const rewritten = { ...shown, request: { ...shown.request, input: { command: "npm test" } } };
  await expect(answerRequest(rewritten, allow)).rejects.toThrow(
    "or the request's file was changed",
  );
  expect(desk.inbox.list()).toHaveLength(1);
});

test("of many answers at once one is applied, and the others are told whose", async () => {
  const desk = askedDesk();
  const shown = await (await serveDesk(desk)).found();
  const given = await Promise.allSettled(
    [allow, { verdict: "deny" } as const, allow].map((answer) => answerRequest(shown, answer)),
  );
  expect(given.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const one of given)
    if (one.status === "rejected")
      expect(one.reason).toMatchObject({
        code: "unknown_task",
        message: expect.stringContaining(`already answered by ${own}`) as string,
      });
  expect(desk.audit().map(({ fact }) => fact)).toEqual(["asked", expect.any(String)]);
});

/** Says one line to a socket, and `signed` to the challenge. The last line that comes back. */
async function say(socket: string, request: object): Promise<unknown> {
  const client = connect(socket);
  onTestFinished(() => void client.destroy());
  await once(client, "connect");
  const lines = createInterface({ input: client })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> =>
    JSON.parse((await lines.next()).value as string) as Record<string, unknown>;
  client.write(`${JSON.stringify(request)}\n`);
  const reply = await next();
  if (!("challenge" in reply)) return reply;
  client.write(`${JSON.stringify({ ...request, id: 2, method: "signed", params: { of: 1 } })}\n`);
  return next();
}

test.runIf(process.platform === "linux").each([
  ["claims to be another process", { pid: process.ppid }, "has not confirmed it"],
  ["shows no sign", { pid: process.pid }, "has not confirmed it"],
  ["does not say which process it is", {}, "has not named its process"],
])("whoever %s is refused, and that is in the log", async (_, named, reason) => {
  const desk = askedDesk();
  const { found, socket, lease } = await serveDesk(desk);
  const { request } = await found();
  const params = { id: request.id, digest: requestDigest(request), answer: allow };
  const { token } = lease;
  expect(await say(socket, { id: 1, token, method: "answer", params, ...named })).toMatchObject({
    error: {
      code: "invalid_request",
      message: expect.stringContaining("cannot verify which process asks for 'answer'") as string,
    },
  });
  expect(desk.inbox.list()).toHaveLength(1);
  const refused = { method: "answer", pid: null, ...named };
  expect(desk.refusals()).toMatchObject([
    { ...refused, reason: expect.stringContaining(reason) as string },
  ]);
});

test("an owner that goes away while it is answered is said to have gone, or to have taken the answer", async () => {
  const open = askedDesk();
  const silent = await serveDesk(open, {
    answer() {
      void silent.server.close();
      return new Promise<never>(() => undefined);
    },
  });
  await expect(answerRequest(await silent.found(), allow)).rejects.toMatchObject({
    code: "not_running",
    message: expect.stringContaining("before it confirmed the answer") as string,
  });
  expect(open.inbox.list()).toHaveLength(1);

  const taken = askedDesk();
  const { found, server } = await serveDesk(taken, {
    async answer(...given): Promise<InboxRequest[]> {
      await taken.inbox.answer(...given);
      void server.close();
      return new Promise<never>(() => undefined);
    },
  });
  await answerRequest(await found(), allow);
  expect(await taken.asked).toEqual({ answer: allow, by: own });
});

test("a socket to which nobody listens any more is named, with the remedy", async () => {
  const desk = askedDesk();
  const { found, lease, socket } = await serveDesk(desk);
  lease.announce(`${socket}.gone`);
  await expect(answerRequest(await found(), allow)).rejects.toMatchObject({
    code: "unreachable",
    message: expect.stringMatching(/s\.sock\.gone, cannot be used: .*ENOENT.*'kill \d+'/) as string,
  });
  expect(desk.inbox.list()).toHaveLength(1);
});

test("a session of another machine or container is answered there, and its request is not taken for a dead one", async () => {
  const desk = askedDesk();
  const { found, socket } = await serveDesk(desk);
  const lease = join(dirname(desk.directory), "lease.json");
  const elsewhere = { host: "far", bootId: "other", pidNamespace: "pid:[1]", pid: 2 ** 22 + 1 };
  edit(lease, { ...elsewhere, socket: `${socket}.there` });
  const { request, files } = await found();
  edit(files.requestFile(request.id), { pid: elsewhere.pid });
  const there = await found();
  expect(there.processEnded).toBe(false);
  await expect(answerRequest(there, allow)).rejects.toMatchObject({
    code: "unreachable",
    message: expect.stringContaining("runs on far, on another machine or in another") as string,
  });
});

function edit(file: string, changes: object): void {
  const before = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...before, ...changes }));
}

test("a process that has no socket is named, and the question stays open", async () => {
  const desk = askedDesk();
  const { found, lease } = await serveDesk(desk);
  lease.announce(null);
  await expect(answerRequest(await found(), allow)).rejects.toMatchObject({
    code: "unreachable",
    message: expect.stringContaining(
      `process ${process.pid}, which asked, has no socket`,
    ) as string,
  });
  expect(desk.inbox.list()).toHaveLength(1);
});
