import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandShop } from "./support/command-shop.ts";
import { office, untilGo } from "./support/office.ts";
import { until } from "./support/until.ts";

/** The clipboard, a colour, an eight-bit sequence, a carriage return and a reversal. */
const words = "a\u001b]52;c;cm0gLXJmIH4=\u0007\u001b[31mred\u009b1m\rb\u202etxt\tc";
const harmless = "ared\nbtxt\tc";
const scenario = `turns: [{ reply: ${JSON.stringify(words)}, repeat: true }]`;

test("control sequences in a result do not reach the terminal behind a pipe, unless --raw asks for them", async () => {
  const { run } = commandShop(scenario);
  const spoken = async (...args: string[]): Promise<string> => (await run(args)).stdout;
  const start = ["run", "-p", "--rehearse", "s.yaml", "--name", "main", "hi"];
  expect(await spoken(...start)).toBe(`${harmless}\n`);
  expect(await spoken(...start, "--raw")).toBe(`${words}\n`);
  expect(await spoken("output", "main")).toBe(`${harmless}\n`);
  expect(await spoken("output", "main", "--raw")).toBe(`${words}\n`);
  expect(await spoken("logs", "main")).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
});

test("JSON is data: it holds a result as it is", async () => {
  const { run } = commandShop(scenario);
  const start = ["run", "-p", "--rehearse", "s.yaml", "--name", "main", "hi"];
  const one = await run([...start, "--output-format", "json"]);
  const many = await run([...start, "--output-format", "stream-json"]);
  const stored = await run(["output", "main", "--json"]);
  expect(JSON.parse(one.stdout)).toMatchObject({ result: words });
  expect(JSON.parse(many.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
    result: words,
  });
  expect(JSON.parse(stored.stdout)).toMatchObject({ content: words });
});

test("the log of a detached run and whoever is attached get no control sequences; with --raw they do", async () => {
  for (const [options, expected] of [
    [[], harmless],
    [["--raw"], words],
  ] as const) {
    const { detach, start, go } = office(untilGo.replace("went", JSON.stringify(words)));
    const run = await detach("--name", "fixer", "--allowedTools", "Bash", ...options);
    const attached = start("attach", "fixer", ...options);
    await until(() => expect(attached.printed().stderr).toContain("fixer  started"));
    go();
    expect(await attached.ended).toMatchObject({ code: 0, stdout: `${expected}\n` });
    await until(() => expect(readFileSync(run.log, "utf8")).toContain(`\n${expected}\n`));
  }
});
