import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { credentialVariables } from "../src/platform/credential-variables.ts";
import { office } from "./support/office.ts";
import { writeFiles } from "./support/stage.ts";

const secret = "canary-9f8e7d6c5b4a39281706";

/** An agent that runs the command, in the foreground or beside itself, and ends when the file `seen` is there. */
function looking(command: string, background: boolean): string {
  const reply = (input: object): string => `[{ call: Bash, input: ${JSON.stringify(input)} }]`;
  const first = reply({ command, ...(background ? { run_in_background: true } : {}) });
  const second = reply({ command: "until [ -e seen ]; do sleep 0.05; done" });
  return `turns: [{ turn: 1, reply: ${first} }, { turn: 2, reply: ${second} }, { turn: 3, reply: looked }]`;
}

const names = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HF_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"];
const keys = Object.fromEntries(names.map((name) => [name, `${secret}-${name}`]));
const show = names.map((name) => `echo "${name}=$${name}"`).join("; ");

async function look(options: {
  user?: object;
  project?: object;
  background?: boolean;
}): Promise<string> {
  const command = `{ ${show}; } > part; mv part seen`;
  const { cwd, config, retinue } = office(looking(command, options.background === true), keys);
  writeFiles(config, { "settings.json": JSON.stringify(options.user ?? {}) });
  writeFiles(cwd, { ".claude/settings.json": JSON.stringify(options.project ?? {}) });
  const run = ["run", "-p", "--rehearse", "s.yaml", "--allowedTools", "Bash", "look"];
  expect(await retinue(...run)).toMatchObject({ code: 0 });
  return readFileSync(join(cwd, "seen"), "utf8");
}

const nothing = names.map((name) => `${name}=\n`).join("");

test("a command that prints the provider's key prints an empty line", async () => {
  expect(await look({})).toBe(nothing);
});

test("a command in the background does not find the provider's key either", async () => {
  expect(await look({ background: true })).toBe(nothing);
});

test("a setting hands one key on to commands, and no other", async () => {
  const seen = await look({ user: { passEnvironment: ["OPENAI_API_KEY"] } });
  expect(seen).toBe(nothing.replace("OPENAI_API_KEY=", `OPENAI_API_KEY=${keys["OPENAI_API_KEY"]}`));
});

test("a value that the user's settings name in env reaches commands", async () => {
  const seen = await look({ user: { env: { HF_TOKEN: "another" } } });
  expect(seen).toBe(nothing.replace("HF_TOKEN=", "HF_TOKEN=another"));
});

test("a folder that nobody trusts does not hand the user's keys to its commands", async () => {
  const project = { passEnvironment: names, env: { HF_TOKEN: "planted" } };
  expect(await look({ project })).toBe(nothing);
});

test("a key that no command has is still taken out of what is told", async () => {
  const key = keys["ANTHROPIC_API_KEY"] ?? "";
  const { retinue } = office(looking(`printf '%s' '${key}'; touch seen`, false), keys);
  const run = ["run", "-p", "--rehearse", "s.yaml", "--allowedTools", "Bash", "look"];
  const { stdout } = await retinue(...run, "--output-format", "stream-json");
  expect(stdout).toContain("[redacted:");
  expect(stdout).not.toContain(key);
});

test("the marks by which an agent's processes are found are no credentials", () => {
  expect([...credentialVariables].filter((name) => name.startsWith("RETINUE_"))).toEqual([]);
});

test("a command that nobody approved finds no variable whose name says that it is secret, nor a password in an address", async () => {
  const variables = {
    GITHUB_TOKEN: "ghp_canary",
    AWS_SECRET_ACCESS_KEY: "canaryaws",
    DATABASE_URL: "postgres://me:canarypassword@h/x",
    PLAIN: "canaryplain",
  };
  const command = Object.keys(variables)
    .map((name) => `echo "$${name}" | rev`)
    .join("; ");
  const run = ["run", "-p", "--rehearse", "s.yaml", "--output-format", "stream-json"];
  const told = async (...rules: string[]): Promise<string> => {
    const { retinue } = office(
      `turns: [{ turn: 1, reply: [{ call: Bash, input: ${JSON.stringify({ command })} }] }, { reply: looked }]`,
      variables,
    );
    return (await retinue(...run, ...rules, "look")).stdout;
  };
  const unapproved = await told();
  expect(unapproved).toContain("nialpyranac");
  for (const text of ["yranac_phg", "swayranac", "drowssapyranac"])
    expect(unapproved).not.toContain(text);
  expect(await told("--allowedTools", "Bash")).toContain("swayranac");
});
