import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRehearsal, parseScenario } from "../src/index.ts";
import type { AgentEvent, Model } from "../src/index.ts";
import { randomText } from "../src/redact/examples-fixture.ts";
import { secretPatterns } from "../src/redact/secret-patterns.ts";
import { shop } from "./support/repository.ts";
import { setStage, type Stage } from "./support/stage.ts";

/** A text with a secret in it, and the secret. */
interface Planted {
  name: string;
  text: string;
  secret: string;
}

const keyLines = [1, 2, 3].map((line) => randomText(40 + line)(64));
const privateKey = `-----BEGIN OPENSSH PRIVATE KEY-----\n${keyLines.join("\n")}\n-----END OPENSSH PRIVATE KEY-----`;
const planted: Planted[] = [
  ...secretPatterns.map(({ name, examples }, seed) => {
    const [text, secret] = examples(randomText(seed))[0] ?? ["", ""];
    return { name, text, secret };
  }),
  ...keyLines.map((secret) => ({ name: "private-key", text: privateKey, secret })),
];
const inEnvironment = { name: "SHOP_SECRET", secret: `plain-${randomText(99)(9)}` };
const byWish = { name: "value", secret: "the wage list of 2026" };
const all = [...planted, inEnvironment, byWish];

const part = (index: number): string =>
  planted
    .filter((_, at) => at % 5 === index)
    .map(({ text }) => text)
    .join("\n");
const files = {
  "config.txt": `${part(0)}\n${privateKey}\n`,
  "other.txt": `${part(1)}\n`,
  "deploy.sh": `echo '${part(2).replaceAll("'", "")}'\n`,
  "token.txt": `the one: ${planted[0]?.secret}\n`,
};

/** Every way into a transcript: a prompt, thinking, text, calls, results of tools, of commands and of a child, long output. */
const scenario = {
  turns: [
    {
      agent: "main",
      turn: 1,
      reply: [
        { thinking: `Let me see. ${part(3)} \n${privateKey}\n So be it.` },
        { text: `I was given ${part(4)} and ${byWish.secret}.` },
        { call: "Read", input: { file_path: "config.txt" } },
        { call: "Read", input: { file_path: "token.txt" } },
        { call: "Grep", input: { pattern: ".", path: "other.txt", output_mode: "content" } },
        { call: "Bash", input: { command: 'bash deploy.sh; echo "$SHOP_SECRET"; exit 3' } },
        {
          call: "Bash",
          input: { command: "for i in $(seq 100); do cat config.txt other.txt; done" },
        },
        {
          call: "Bash",
          input: {
            command:
              'for c in $(seq 1 ${#SHOP_SECRET}); do printf "%s" "${SHOP_SECRET:$((c-1)):1}"; sleep 0.02; done',
          },
        },
        { call: "Write", input: { file_path: "copy.txt", content: files["config.txt"] } },
        {
          call: "Agent",
          input: {
            description: `Look for ${planted[1]?.text}`,
            prompt: `Look: ${part(4)}`,
            subagent_type: "Explore",
          },
        },
      ],
    },
    {
      agent: "Explore",
      turn: 1,
      reply: `The child found ${planted[2]?.secret}. ${"x".repeat(200)} ${part(2)}`,
    },
    {
      agent: "main",
      turn: 2,
      reply: [
        {
          call: "Bash",
          input: {
            command:
              "test '{{ result.Read | match /the one: (\\S+)/ }}' = \"$(cut -d' ' -f3 token.txt)\" && cmp config.txt copy.txt && echo all is well",
          },
        },
        {
          call: "Bash",
          input: {
            command: "echo '{{ result.Agent | match /found (\\S+)\\. / }}' > from-child.txt",
          },
        },
      ],
    },
    {
      agent: "main",
      turn: 3,
      reply: `Done: {{ result.Read.1 }} ${byWish.secret} {{ result.Bash.1 }}`,
    },
  ],
};

/** The same answers, in pieces of three characters. */
function inCrumbs(model: Model): Model {
  return {
    ...model,
    async *stream(request, signal) {
      const answer = model.stream(request, signal);
      for (;;) {
        const { done, value } = await answer.next();
        if (done === true) return value;
        if (value.type !== "text" && value.type !== "thinking") yield value;
        else for (const text of value.text.match(/[\s\S]{1,3}/g) ?? []) yield { ...value, text };
      }
    },
  };
}

async function readSecrets(
  enabled: boolean,
): Promise<Stage & { logs: unknown[]; told: unknown[] }> {
  const logs: unknown[] = [];
  const log = (...line: unknown[]): void => void logs.push(line);
  const logger = { info: log, warn: log, child: (fields: unknown) => (log(fields), logger) };
  const stage = setStage("turns: [{ reply: unused }]", {
    model: inCrumbs(createRehearsal(parseScenario(JSON.stringify(scenario), "secrets.yaml"))),
    files,
    allowedTools: ["Bash", "Edit"],
    limits: { resultCharacters: 100 },
    logger,
    settings: {
      env: { SHOP_SECRET: inEnvironment.secret },
      redact: { enabled, values: [byWish.secret] },
    },
  });
  const main = await stage.manager.main({ prompt: `Here is ${part(3)}, ${byWish.secret}.` });
  const output = await stage.manager.output(main.id, { block: true });
  expect(output.state).toBe("completed");
  return { ...stage, logs, told: [output, stage.manager.list({ all: true })] };
}

function everythingBelow(directory: string): string {
  const paths = globSync("**/*", { cwd: directory, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(paths.filter(({ name }) => name.endsWith(".meta.json")).length).toBeGreaterThan(0);
  return paths
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
    .join("\n");
}

/** Streamed text as a reader of events puts it together, and every event by itself. */
function everythingSaid(events: readonly AgentEvent[]): string {
  const joined = (type: string): string =>
    events.map((event) => (event.type === type && "text" in event ? event.text : "")).join("");
  return [JSON.stringify(events), joined("text-delta"), joined("thinking-delta")].join("\n");
}

const found = (where: string): string[] =>
  all.filter(({ secret }) => where.includes(secret)).map(({ name }) => name);

test("what a run reads and says is on disk, in logs and in events without its secrets", async () => {
  expect(new Set(all.map(({ name }) => name)).size).toBeGreaterThan(70);
  const { configDir, cwd, events, logs, told, manager } = await readSecrets(true);
  await manager.close();
  const onDisk = everythingBelow(configDir);
  expect(found(onDisk)).toEqual([]);
  expect(found(everythingSaid(events))).toEqual([]);
  expect(found(JSON.stringify(logs))).toEqual([]);
  expect(found(JSON.stringify(told))).toEqual([]);
  // Nothing was lost: the tools had the real thing, and so had the model and the parent of the child.
  expect(onDisk).toContain("all is well");
  expect(readFileSync(join(cwd, "copy.txt"), "utf8")).toBe(files["config.txt"]);
  expect(readFileSync(join(cwd, "from-child.txt"), "utf8")).toBe(`${planted[2]?.secret}\n`);
});

test("the same run without redaction leaves every secret in all of these places", async () => {
  const { configDir, events, told, manager } = await readSecrets(false);
  await manager.close();
  const names = all.map(({ name }) => name);
  expect(found(everythingBelow(configDir))).toEqual(names);
  expect(found(everythingSaid(events))).toEqual(names);
  expect(found(JSON.stringify(told)).length).toBeGreaterThan(20);
});

test.each([
  ["text", []],
  ["json", ["--output-format", "json"]],
  ["stream-json", ["--output-format", "stream-json", "--include-partial-messages"]],
])("the command line prints no secret: %s", (_, options) => {
  const { cwd, config, retinue } = shop(files);
  const file = join(cwd, "secrets.yaml");
  writeFileSync(file, JSON.stringify(scenario));
  const env = JSON.stringify({ env: { SHOP_SECRET: inEnvironment.secret } });
  const run = (...more: string[]): string => {
    const ran = retinue(
      "run",
      "--rehearse",
      file,
      "--allowedTools",
      "Bash,Edit",
      ...options,
      ...more,
      "go",
    );
    expect(ran.code).toBe(0);
    return ran.stdout + ran.stderr;
  };
  const wish = ["--redact", "/wage L[A-Z]+/i", "--redact", "of 2026"];
  const printed = run("--settings", env, ...wish);
  expect(found(printed)).toEqual([]);
  expect(printed.match(/\[redacted:(?:pattern|value)\] /g)?.length).toBeGreaterThan(1);
  expect(found(everythingBelow(config))).toEqual([]);
  const open = run("--settings", JSON.stringify({ redact: { enabled: false } }));
  expect(found(open).length).toBeGreaterThan(10);
});

test("a call that waits for a person is told without its secrets, and afterwards none are left on disk", () => {
  const { cwd, config, retinue } = shop(files);
  const command = `deploy '${part(2).replaceAll("'", "")}' ${planted[0]?.text} "${inEnvironment.secret}"`;
  const asked = {
    turns: [
      { turn: 1, reply: [{ call: "Bash", input: { command } }] },
      { turn: 2, reply: "done" },
    ],
  };
  writeFileSync(join(cwd, "asked.yaml"), JSON.stringify(asked));
  const run = (settings: object): string => {
    const rehearsed = ["--rehearse", "asked.yaml", "--settings", JSON.stringify(settings)];
    const ran = retinue("run", ...rehearsed, "-p", "--inbox", "--ask-timeout", "1", "go");
    expect(ran.stderr).toMatch(/needs you: q\w+ {2}main {2}Bash deploy /);
    return ran.stdout + ran.stderr;
  };
  const env = { SHOP_SECRET: inEnvironment.secret };
  expect(found(run({ env }))).toEqual([]);
  expect(found(everythingBelow(config))).toEqual([]);
  expect(found(run({ env, redact: { enabled: false } })).length).toBeGreaterThan(0);
});

test("a standing agent uses in its next task what it read in the one before", async () => {
  const secret = planted[0]?.secret ?? "";
  const { manager, requests, configDir } = setStage(
    JSON.stringify({
      turns: [
        { turn: 1, task: "read", reply: [{ call: "Read", input: { file_path: "token.txt" } }] },
        { last: "the one", reply: "I know it." },
        { last: "again", reply: "It is {{ result.Read | match /the one: (\\S+)/ }}" },
      ],
    }),
    { files },
  );
  const agent = await manager.spawn({ subagent_type: "Explore" });
  await manager.process(agent.id, "read");
  const { content } = await manager.process(agent.id, "again");
  expect(content).toMatch(/^It is \[redacted:/);
  expect(JSON.stringify(requests.at(-1))).toContain(secret);
  await manager.close();
  expect(everythingBelow(configDir)).not.toContain(secret);
});

test.each([
  ["(", /Unterminated group/],
  ["(a+)+$", /can take very long/],
  ["(a|b)*c", /can take very long/],
  ["a*", /matches an empty text/],
  ["/x/q", /not flags/],
])("a pattern that cannot be used is refused, with the reason: %s", (pattern, reason) => {
  const setting = JSON.stringify({ redact: { patterns: [pattern] } });
  const linted = shop({}, { "settings.json": setting }).retinue("lint");
  expect(linted.stdout).toMatch(reason);
  expect(linted.code).toBe(1);
});
