import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sealLines } from "../src/transcript/lines/line-sum.ts";
import { addSession, alive, leaseText, metaText } from "../src/transcript/session-fixture.ts";
import { office } from "./support/office.ts";
import { until } from "./support/until.ts";

const prompt = (text: string): string =>
  JSON.stringify({ type: "user", message: { content: text } });
const append = (...texts: string[]): string => sealLines(texts.map(prompt));
/** Still JSON, but not what was written. */
const changed = (text: string): string => append(text).replace(text, text.toUpperCase());

test("logs leaves out lines that are not as they were written, and says so once", async () => {
  const { retinue, config } = office();
  const directory = addSession(config, "s", { days: 1 });
  const transcript = `${directory}.jsonl`;
  writeFileSync(
    transcript,
    `${append("one")}${changed("two")}${append("three")}no JSON\n${prompt("of another program")}\n`,
  );
  const ran = await retinue("logs", "main-s");
  expect(ran.stdout).toMatch(/one\n.*three\n.*of another program\ncompleted\n$/);
  expect(ran.stdout).not.toContain("TWO");
  const said = "retinue: 2 lines of the transcript are damaged, and are left out: 2, 4.\n";
  expect(ran.stderr).toContain(said);

  const raw = await retinue("logs", "--json", "main-s");
  expect(raw.stdout.trim().split("\n")).toHaveLength(3);
  expect(raw.stderr).toContain(said);

  writeFileSync(transcript, append("one"));
  expect((await retinue("logs", "main-s")).stderr).not.toContain("left out");
  const unfinished = append("two", "three").split("\n")[0] ?? "";
  appendFileSync(transcript, `${unfinished}\n`);
  const torn = await retinue("logs", "main-s");
  expect(torn.stdout).not.toContain("two");
  expect(torn.stderr).toContain(
    `the last ${unfinished.length + 1} bytes of the transcript are an incomplete line`,
  );
});

test("logs -f shows an append when it is whole, and counts on from line to line", async () => {
  const { start, config } = office();
  const directory = addSession(config, "s", { days: 1, main: { state: "running", ...alive } });
  writeFileSync(join(directory, "lease.json"), leaseText());
  const transcript = `${directory}.jsonl`;
  writeFileSync(transcript, append("one"));
  const { ended, printed } = start("logs", "-f", "main-s");
  await until(() => expect(printed().stdout).toContain("one"));

  const [first, ...rest] = append("two", "three").split("\n");
  appendFileSync(transcript, `${first}\n`);
  appendFileSync(transcript, rest.join("\n"));
  await until(() => expect(printed().stdout).toMatch(/two\n.*three\n/));
  appendFileSync(transcript, `${changed("four")}${append("five")}`);
  await until(() => expect(printed().stdout).toContain("five"));

  writeFileSync(join(directory, "main.meta.json"), metaText("s", "main-s"));
  const { stdout, stderr } = await ended;
  expect(stdout).not.toContain("FOUR");
  expect(stdout.match(/two/g)).toHaveLength(1);
  expect(stderr.match(/left out/g)).toHaveLength(1);
  expect(stderr).toContain("retinue: line 4 of the transcript is damaged, and is left out.\n");
});
