import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { office } from "./support/office.ts";
import { bin } from "./support/bin.ts";

const scenario = `
turns:
  - { last: /attack/, reply: [{ call: Bash, input: { command: "bash attack.sh" } }] }
  - { reply: done, repeat: true }
`;

const disguises: [string, string][] = [
  ["as it is", ""],
  ...(process.platform === "linux"
    ? ([
        ["with an empty environment", `env -i PATH="$PATH" CLAUDE_CONFIG_DIR="$CLAUDE_CONFIG_DIR"`],
        ["in a session of its own", "env -u RETINUE_AGENT setsid -w"],
      ] satisfies [string, string][])
    : []),
];

test.each(disguises)(
  "an agent's command that trusts, removes or writes with the user's word is refused, %s",
  async (_, disguise) => {
    const { cwd, config, retinue, json } = office(scenario);
    expect((await retinue("run", "--rehearse", "s.yaml", "first")).code).toBe(0);
    const [ended] = await json<{ id: string }[]>("ps", "-a", "--json");
    expect(ended?.id).toMatch(/^a/);
    expect((await retinue("trust", cwd)).code).toBe(0);
    const trust = await json<{ folder: string }[]>("trust", "--list", "--json");
    const refused = [
      "trust ..",
      "trust --revoke .",
      "trust --revoke --dry-run .",
      `rm ${ended?.id ?? ""}`,
      "prune --days 1",
      "init",
      "agents new helper",
      "agents new helper --user",
      "doctor --fix",
    ];
    const looks = ["trust --list", "trust --dry-run .", "prune --days 1 --dry-run", "agents ls"];
    const lines = [...refused, ...looks].map(
      (args, at) =>
        `${disguise} '${process.execPath}' '${bin}' ${args} >/dev/null 2>told.${at}; echo $? >>codes`,
    );
    writeFileSync(join(cwd, "attack.sh"), `${lines.join("\n")}\n`);
    const run = await retinue("run", "--rehearse", "s.yaml", "--allowedTools", "Bash", "attack");
    expect(run.code).toBe(0);

    const told = refused.map((__, at) => readFileSync(join(cwd, `told.${at}`), "utf8"));
    expect(told).toEqual(
      [
        "trust a folder",
        "revoke trust in a folder",
        "revoke trust in a folder",
        "remove agents",
        "remove sessions",
        "write agents and settings this way",
        "write agents this way",
        "write agents this way",
        "remove leftovers of crashes",
      ].map(
        (what) =>
          `retinue: This runs inside an agent, and only a person can ${what}. Use a terminal of your own.\n`,
      ),
    );
    const codes = readFileSync(join(cwd, "codes"), "utf8").trim().split("\n");
    expect(codes).toEqual([...refused.map(() => "2"), ...looks.map(() => "0")]);
    expect(await json("trust", "--list", "--json")).toEqual(trust);
    expect(existsSync(join(cwd, ".claude"))).toBe(false);
    expect(readdirSync(config)).not.toContain("agents");
    const left = await json<{ id: string }[]>("ps", "-a", "--json");
    expect(left.map(({ id }) => id)).toContain(ended?.id);
  },
);

const leaving = `
turns:
  - { last: /attack/, reply: [{ call: Bash, input: { command: "bash attack.sh" } }] }
  - { turn: 2, reply: [{ call: Bash, input: { command: "until [ -e code ]; do sleep 0.05; done" } }] }
  - { reply: done, repeat: true }
`;

test.runIf(process.platform === "linux")(
  "an agent's command that has lost its marks and its parent trusts no folder when the leader of its session has ended",
  async () => {
    const { cwd, config, retinue, json } = office(leaving);
    const script = `exec 64<&- 65<&-
until ! [ -e /proc/$1 ]; do sleep 0.05; done
'${process.execPath}' '${bin}' trust .. 2>told
echo $? >part; mv part code
`;
    writeFileSync(join(cwd, "late.sh"), script);
    const set = `PATH="$PATH" CLAUDE_CONFIG_DIR='${config}'`;
    writeFileSync(
      join(cwd, "attack.sh"),
      `leader=$(cut -d' ' -f6 /proc/$$/stat)\n(env -i ${set} bash late.sh "$leader" >/dev/null 2>&1 </dev/null &)\n`,
    );
    const run = await retinue("run", "--rehearse", "s.yaml", "--allowedTools", "Bash", "attack");
    expect(run.code).toBe(0);
    expect(readFileSync(join(cwd, "told"), "utf8")).toMatch(
      /^retinue: The process that opened session \d+, in which this runs, has ended, so this may be a command of an agent, and only a person can trust a folder\./,
    );
    expect(readFileSync(join(cwd, "code"), "utf8")).toBe("2\n");
    expect(await json("trust", "--list", "--json")).toEqual([]);
  },
);

/** A program that an agent runs: a session of its own, in which it answers as it likes. */
const nested = (index: string): string => `
import { createManager, createRehearsal, parseScenario } from ${JSON.stringify(index)};
const turns = [{ turn: 1, reply: [{ call: "Bash", input: { command: "make x" } }] }, { turn: 2, reply: "done" }];
const model = createRehearsal(parseScenario(JSON.stringify({ turns }), "s.yaml"));
const manager = createManager({ model });
const told = [];
manager.inbox.subscribe(async ({ type, request }) => {
  if (type !== "asked") return;
  for (const scope of ["always", "agent-always", "session"])
    await manager.inbox.answer(request.id, { verdict: "allow", scope, rules: ["Bash(make *)"] })
      .then(() => told.push(scope), (error) => told.push(error.message));
});
const { id } = await manager.main({ prompt: "go" });
await manager.output(id, { block: true });
await manager.close();
process.stdout.write(JSON.stringify(told));
`;

test("an agent that answers in a session which its own command started adds no rule to settings or grants", async () => {
  const { cwd, config, retinue } = office(scenario);
  expect((await retinue("trust", cwd)).code).toBe(0);
  const index = fileURLToPath(new URL("../src/index.ts", import.meta.url));
  writeFileSync(join(cwd, "nested.mjs"), nested(index));
  writeFileSync(join(cwd, "attack.sh"), `'${process.execPath}' nested.mjs >told 2>failed\n`);
  const run = await retinue("run", "--rehearse", "s.yaml", "--allowedTools", "Bash", "attack");
  expect(run.code).toBe(0);
  expect(readFileSync(join(cwd, "failed"), "utf8")).toBe("");
  const refusal = expect.stringContaining("this runs inside an agent") as string;
  expect(JSON.parse(readFileSync(join(cwd, "told"), "utf8"))).toEqual([
    refusal,
    refusal,
    "session",
  ]);
  expect(existsSync(join(cwd, ".claude"))).toBe(false);
  expect(existsSync(join(config, "retinue/grants"))).toBe(false);
});
