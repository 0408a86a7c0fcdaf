import { mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, never, setDesk } from "./inbox-fixture.ts";
import { RequestFiles } from "./request-files.ts";

const good = JSON.stringify({
  by: "terminal (pid 1)",
  answer: { verdict: "allow", scope: "once" },
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("an answer that another process left is taken, and nothing of it stays", async () => {
  const { inbox, directory, audit } = setDesk({ attended: true });
  const asked = inbox.ask(call(), never);
  await until(() => inbox.list().length === 1);
  const id = inbox.list()[0]?.id ?? "";
  const files = new RequestFiles(directory);
  const answer = { verdict: "deny", message: "not now" } as const;
  expect(files.leaveAnswer(id, answer, "terminal (pid 7)")).toBe(true);
  expect(await asked).toEqual({ answer, by: "terminal (pid 7)" });
  expect(readdirSync(directory)).toEqual([]);
  expect(audit().at(-1)).toMatchObject({
    fact: "denied",
    by: "terminal (pid 7)",
    message: "not now",
  });
});

test("the first answer that is left stays; a second one is refused", async () => {
  const { inbox, directory } = setDesk();
  const files = new RequestFiles(directory);
  mkdirSync(directory, { recursive: true });
  expect(inbox.list()).toEqual([]);
  const answer = { verdict: "deny" } as const;
  expect(files.leaveAnswer("q00000001", answer, "terminal (pid 1)")).toBe(true);
  expect(files.leaveAnswer("q00000001", answer, "terminal (pid 2)")).toBe(false);
  expect(files.takeAnswer("q00000001")).toMatchObject({ value: { by: "terminal (pid 1)" } });
  expect(files.takeAnswer("q00000001")).toEqual({ kind: "none" });
});

const hostile: [string, (file: string, root: string) => void, RegExp][] = [
  ["broken JSON", (file) => writeFileSync(file, "{"), /valid JSON/],
  ["another shape", (file) => writeFileSync(file, '{"verdict": "allow"}'), /right shape/],
  [
    "a made-up name",
    (file) => writeFileSync(file, good.replace("terminal (pid 1)", "host")),
    /right shape/,
  ],
  ["a directory", (file) => mkdirSync(file), /not a regular file/],
  [
    "a link to a good answer",
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
  [
    "an answer that does not fit",
    (file) => writeFileSync(file, good.replace('"once"', '"ever"')),
    /not taken/,
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
