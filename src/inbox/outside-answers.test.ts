import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { awaitCall } from "../processes/call-back.ts";
import { answerFromOutside } from "./answer-from-outside.ts";
import { requestDigest } from "./canonical.ts";
import type { FoundRequest } from "./find-requests.ts";
import { call, never, setDesk, type Desk } from "./inbox-fixture.ts";
import { RequestFiles } from "./request-files.ts";
import type { Answer } from "./request.ts";

/** Where somebody would be called back who is long gone. */
const gone = {
  pid: 1,
  address: `@retinue-${"0".repeat(16)}-${"0".repeat(16)}`,
  secret: "s".repeat(43),
};
const good = JSON.stringify(gone);

/** The open request, as another process finds it. */
function found({ inbox, directory }: Desk): FoundRequest {
  const [request] = inbox.list();
  if (request === undefined) throw new Error("Nothing is open.");
  return { request, files: new RequestFiles(directory), pid: process.pid, processEnded: false };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("whoever leaves word is called back, its answer is taken, and nothing of it stays", async () => {
  const desk = setDesk({ attended: true });
  const { inbox, directory, audit } = desk;
  const asked = inbox.ask(call(), never);
  await until(() => inbox.list().length === 1);
  const answer = { verdict: "deny", message: "not now" } as const;
  await answerFromOutside(found(desk), answer);
  const by = `terminal (pid ${process.pid})`;
  expect(await asked).toEqual({ answer, by });
  expect(readdirSync(directory)).toEqual([]);
  expect(audit().at(-1)).toMatchObject({ fact: "denied", by, message: "not now" });
});

test("the first word that is left stays; a second one is refused", async () => {
  const { directory } = setDesk();
  const files = new RequestFiles(directory);
  mkdirSync(directory, { recursive: true });
  expect(files.leaveWord("q00000001", gone)).toBe(true);
  expect(files.leaveWord("q00000001", { ...gone, pid: 2 })).toBe(false);
  expect(files.takeWord("q00000001")).toMatchObject({ value: { pid: 1 } });
  expect(files.takeWord("q00000001")).toEqual({ kind: "none" });
});

test("an answer that does not fit is refused to whoever gave it, and the question stays open", async () => {
  const desk = setDesk({ attended: true });
  const asked = desk.inbox.ask(call(), never);
  await until(() => desk.inbox.list().length === 1);
  const odd = { verdict: "allow", scope: "ever" } as unknown as Answer;
  await expect(answerFromOutside(found(desk), odd)).rejects.toMatchObject({
    code: "invalid_request",
  });
  expect(desk.warnings).toEqual([expect.stringContaining("not taken") as string]);
  await desk.inbox.answer(desk.inbox.list()[0]?.id ?? "", { verdict: "deny" });
  expect((await asked).by).toBe("host");
});

test.runIf(process.platform === "linux")(
  "whoever claims to be another process is refused, and that is in the log",
  async () => {
    const desk = setDesk({ attended: true });
    void desk.inbox.ask(call(), never).catch(() => undefined);
    await until(() => desk.inbox.list().length === 1);
    const { request, files } = found(desk);
    using waiting = await awaitCall(request.sessionId);
    files.leaveWord(request.id, { ...waiting.at, pid: process.ppid });
    const socket = await waiting.called;
    const answer = { verdict: "allow", scope: "once" };
    const said = { id: request.id, digest: requestDigest(request), answer };
    socket.write(`${JSON.stringify(said)}\n`);
    socket.once("data", () => socket.write("signed\n"));
    await until(() => desk.warnings.length > 0);
    expect(desk.warnings).toEqual([expect.stringContaining("does not know who answers") as string]);
    expect(desk.inbox.list()).toHaveLength(1);
    expect(desk.refusals()).toMatchObject([
      {
        method: "answer",
        pid: process.ppid,
        reason: expect.stringContaining("has not said it") as string,
      },
    ]);
  },
);

test("an answer is for the request that the person saw, and for no other", async () => {
  const desk = setDesk({ attended: true });
  void desk.inbox.ask(call(), never).catch(() => undefined);
  await until(() => desk.inbox.list().length === 1);
  const shown = found(desk);
  const rewritten = { ...shown, request: { ...shown.request, input: { command: "npm test" } } };
  const answer = { verdict: "allow", scope: "once" } as const;
  await expect(answerFromOutside(rewritten, answer)).rejects.toThrow("or its file was changed");
  expect(desk.inbox.list()).toHaveLength(1);
});

const hostile: [string, (file: string, root: string) => void, RegExp][] = [
  ["broken JSON", (file) => writeFileSync(file, "{"), /valid JSON/],
  ["another shape", (file) => writeFileSync(file, '{"verdict": "allow"}'), /right shape/],
  [
    "an answer instead of word",
    (file) =>
      writeFileSync(
        file,
        '{"by": "terminal (pid 1)", "answer": {"verdict": "allow", "scope": "once"}}',
      ),
    /right shape/,
  ],
  [
    "word from somebody who is gone",
    (file) => writeFileSync(file, good),
    process.platform === "linux" ? /no address for this session/ : /cannot call back/,
  ],
  ["a directory", (file) => mkdirSync(file), /not a regular file/],
  [
    "a link to good word",
    (file, root) => {
      writeFileSync(join(root, "elsewhere"), good);
      symlinkSync(join(root, "elsewhere"), file);
    },
    /not a regular file/,
  ],
  [
    "a huge file",
    (file) => {
      writeFileSync(file, good);
      truncateSync(file, 1024 ** 3);
    },
    /larger than/,
  ],
];

test.each(hostile)(
  "%s is ignored with a warning, and the question stays open",
  async (_, put, reason) => {
    const { inbox, directory, root, warnings } = setDesk({ attended: true });
    const asked = inbox.ask(call(), never);
    await until(() => inbox.list().length === 1);
    const id = inbox.list()[0]?.id ?? "";
    put(join(directory, `${id}.answer.json`), root);
    await until(() => warnings.length > 0);
    expect(warnings).toEqual([expect.stringMatching(reason) as string]);
    expect(inbox.list()).toHaveLength(1);
    await inbox.answer(id, { verdict: "deny" });
    expect((await asked).by).toBe("host");
  },
);

test("requests on disk that are not whole are passed over", async () => {
  const { inbox, directory } = setDesk({ attended: true });
  void inbox.ask(call(), never).catch(() => undefined);
  await until(() => inbox.list().length === 1);
  const files = new RequestFiles(directory);
  const [found] = files.all();
  expect(found).toMatchObject({ processEnded: false, request: { tool: "Bash" } });
  writeFileSync(files.requestFile("q00000001"), "{");
  writeFileSync(files.requestFile("q00000002"), JSON.stringify(found));
  symlinkSync(files.requestFile(found?.request.id ?? ""), files.requestFile("q00000003"));
  writeFileSync(join(directory, "notes.json"), "{}");
  expect(files.all()).toHaveLength(1);
});
