import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandShop, transcriptsIn } from "./support/command-shop.ts";

const bad: [string, string[], number, RegExp, Record<string, string>?][] = [
  [
    "no model",
    ["run", "x"],
    6,
    /^retinue: No credentials for the Anthropic API\. Set ANTHROPIC_API_KEY .*--rehearse FILE.*\n$/,
  ],
  ["no task", ["run", "--rehearse", "s.yaml"], 2, /^retinue: There is no task\./],
  [
    "an unreadable scenario",
    ["run", "--rehearse", "nowhere.yaml", "x"],
    2,
    /^retinue: .*nowhere\.yaml/,
  ],
  [
    "a broken scenario",
    ["run", "--rehearse", "broken.yaml", "x"],
    2,
    /^retinue: .*broken\.yaml:2: /,
  ],
  [
    "bad JSON for --agents",
    ["run", "--rehearse", "s.yaml", "--agents", "{oops", "x"],
    2,
    /^retinue: --agents is not valid JSON .*Write for example/,
  ],
  [
    "agents that are no table",
    ["run", "--rehearse", "s.yaml", "--agents", '["a"]', "x"],
    2,
    /^retinue: --agents must be an object/,
  ],
  [
    "an agent without a prompt",
    ["run", "--rehearse", "s.yaml", "--agents", '{"a":{"description":"d"}}', "x"],
    2,
    /agents\.a: 'prompt'/,
  ],
  [
    "an unknown agent type",
    ["run", "--rehearse", "s.yaml", "-a", "exlore", "x"],
    3,
    /retinue: Agent type 'exlore' not found\. Did you mean 'Explore'\? Available agents: /,
  ],
  ["an empty name", ["run", "--rehearse", "s.yaml", "--name", "", "x"], 2, /^retinue: [^]*name/],
  [
    "a permission mode that there is not",
    ["run", "--rehearse", "s.yaml", "--permission-mode", "yolo", "x"],
    2,
    /Allowed choices are default, acceptEdits/,
  ],
  [
    "no such id",
    ["logs", "a123"],
    3,
    /^retinue: There is no agent 'a123'\. 'retinue ps -a' lists them\./,
  ],
  ["no such id for output", ["output", "a123"], 3, /^retinue: There is no agent 'a123'/],
  [
    "an unknown command",
    ["runn"],
    2,
    /^retinue: unknown command 'runn'[\s\S]*Did you mean run\?[\s\S]*See 'retinue --help'/,
  ],
  [
    "an unknown option",
    ["run", "--rehears", "s.yaml"],
    2,
    /^retinue: unknown option '--rehears'[^]*See 'retinue run --help'\.\n$/,
  ],
  [
    "an unknown option of a command below another",
    ["agents", "new", "--modell", "x"],
    2,
    /^retinue: unknown option '--modell'[^]*See 'retinue agents new --help'\.\n$/,
  ],
  [
    "a turn limit that is no number",
    ["run", "--max-turns", "many", "x"],
    2,
    /positive whole number/,
  ],
  [
    "an unwritable config directory",
    ["run", "--rehearse", "s.yaml", "x"],
    1,
    /^retinue: Transcripts cannot be written to .*Set CLAUDE_CONFIG_DIR/,
    { CLAUDE_CONFIG_DIR: "/dev/null/x" },
  ],
];

test.each(bad)(
  "%s: one clear line, the right exit code, nothing half-written",
  async (_name, args, code, message, env) => {
    const { run, cwd, config } = commandShop();
    writeFileSync(join(cwd, "broken.yaml"), "turns:\n  - repy: hello\n");
    const before = readdirSync(cwd);
    const ran = await run(args, env === undefined ? {} : { env });
    expect(ran).toMatchObject({
      code,
      stdout: "",
      stderr: expect.stringMatching(message) as string,
    });
    expect(ran.stderr).not.toMatch(/\n\s+at /);
    expect(readdirSync(cwd)).toEqual(before);
    expect(transcriptsIn(config)).toEqual([]);
    expect(sessionsIn(config)).toEqual([]);
  },
);

/** What lies below the projects of a config directory. */
function sessionsIn(config: string): string[] {
  const projects = join(config, "projects");
  if (!existsSync(projects)) return [];
  return readdirSync(projects).flatMap((project) => readdirSync(join(projects, project)));
}
