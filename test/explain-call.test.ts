import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { displayWidth } from "../src/cli/terminal/width.ts";
import { agent, shop } from "./support/repository.ts";
import { setStage } from "./support/stage.ts";

const settings = (permissions: object): string => JSON.stringify({ permissions });

test("explain --call says the verdict, the rule and its file, the part and every stage", () => {
  const { retinue, cwd } = shop({
    ".claude/settings.json": settings({ deny: ["Bash(git push *)"] }),
  });
  const { code, stdout } = retinue("explain", "--call", "Bash(ls && git push)");
  expect(code).toBe(0);
  const text = stdout.replaceAll(/\s+/g, " ");
  expect(text).toContain('call Bash {"command":"ls && git push"} verdict deny agent main');
  expect(text).toContain("mode default (from: session); this folder is not trusted");
  expect(text).toContain(`rule deny 'Bash(git push *)' (${join(cwd, ".claude/settings.json")})`);
  expect(text).toContain("part git push stages deny rules: deny.");
});

test("a call that nobody allowed is asked about, with the rules that would allow it", () => {
  const { json } = shop();
  const explained = json("explain", "general-purpose", "-c", "Bash(make && npm test)", "--json");
  expect(explained).toMatchObject({
    agent: "general-purpose",
    call: { tool: "Bash", input: { command: "make && npm test" } },
    missing: null,
    mode: { mode: "default", from: "parent" },
    decision: {
      verdict: "ask",
      rule: null,
      part: "make",
      suggestions: ["Bash(make)", "Bash(npm test)"],
    },
    trusted: false,
  });
  const { trace } = explained as { trace: { stage: string; finding: object | null }[] };
  expect(trace.map(({ stage }) => stage)).toContain("allow rules");
  expect(trace.filter(({ finding }) => finding !== null)).toEqual([
    expect.objectContaining({ stage: "everything else" }),
  ]);
});

test("an opaque command is explained by its place, and by what would make it readable", () => {
  const { retinue } = shop();
  const { stdout } = retinue("explain", "--call", "Bash(ls -l\necho a $'b')");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "opaque: `$'…'` at 2:8 (write the text in '…').",
  );
});

test("options for one run count as they do in run", () => {
  const { json } = shop();
  const verdict = (...args: string[]): unknown => {
    const { decision } = json("explain", "--json", ...args) as { decision: { verdict: string } };
    return decision.verdict;
  };
  const edit = ["--call", "Edit(src/a.ts)"];
  expect(verdict(...edit)).toBe("ask");
  expect(verdict(...edit, "--allowedTools", "Edit(src/**)")).toBe("allow");
  expect(verdict(...edit, "--allowedTools", "Edit", "--disallowedTools", "Edit")).toBe("deny");
  expect(verdict(...edit, "--allowedTools", "Edit", "--permission-mode", "plan")).toBe("deny");
  expect(verdict(...edit, "--settings", settings({ allow: ["Edit"] }))).toBe("allow");
});

test("the definition of the agent has its say: tools, mode, confinement", () => {
  const { retinue, json } = shop({
    ".claude/agents/reader.md": agent(
      "name: reader\ndescription: d\ntools: Read, Bash(git log *)\npermissionMode: dontAsk",
    ),
  });
  const lacks = retinue("explain", "--call", "Write(a.txt)", "--agent", "Reader").stdout;
  expect(lacks).toMatch(/^tool +reader has no Write: \S/m);
  expect(lacks).toMatch(/^verdict +the agent cannot call it; the rules would say deny$/m);
  expect(json("explain", "reader", "--call", "Bash(git push)", "--json")).toMatchObject({
    mode: { mode: "dontAsk", from: "definition" },
    decision: {
      verdict: "deny",
      reason: expect.stringContaining("confines Bash to 'Bash(git log *)'") as string,
    },
  });
  expect(json("explain", "reader", "--call", "Nothing", "--json")).toMatchObject({
    missing: "no such tool here",
  });
});

test.each([
  ["Read(a.txt)", { tool: "Read", input: { file_path: "a.txt" } }],
  ["Grep(TODO)", { tool: "Grep", input: { pattern: "TODO" } }],
  ["Task(Explore)", { tool: "Agent", input: { subagent_type: "Explore" } }],
  ["WebFetch(https://a.test/(x))", { tool: "WebFetch", input: { url: "https://a.test/(x)" } }],
  ["Bash({ ls; })", { tool: "Bash", input: { command: "{ ls; }" } }],
  ['Bash({"command": "ls"})', { tool: "Bash", input: { command: "ls" } }],
  ['mcp__a__b({"x": 1})', { tool: "mcp__a__b", input: { x: 1 } }],
  ["TodoWrite", { tool: "TodoWrite", input: {} }],
])("the call %s is read as it is meant", (written, call) => {
  expect(shop().json("explain", "--call", written, "--json")).toMatchObject({ call });
});

test.each([
  [["--call", "ls"], /There is no tool 'ls'\. A command is a call of Bash: 'Bash\(ls\)'\./],
  [["--call", "npm(test)"], /There is no tool 'npm'\. .* 'Bash\(npm test\)'\./],
  [["--call", "ls -l 'a b'"], /is not a call\. .* 'Bash\(ls -l '\\''a b'\\''\)'\./],
  [["--call", "Bash(ls"], /'Bash\(ls' is not a call\. Write Tool\(input\)/],
  [["--call", 'Bash({"command": )'], /not a JSON object/],
  [["--call", "mcp__a__b(x)"], /Write mcp__a__b\(\{/],
  [["--call", "Read"], /Read needs a text in 'file_path'/],
  [["--call", "Read(a)", "--allowedTools", "Raed"], /Did you mean 'Read'/],
  [["Explore", "--agent", "Plan", "--call", "Read(a)"], /are two types/],
  [[], /Name an agent type, or a call/],
])("explain %j is a usage error with its remedy", (args, message) => {
  const { code, stdout, stderr } = shop().retinue("explain", ...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

test("an unknown type is not found, and settings that cannot be read are said as by run", () => {
  expect(shop().retinue("explain", "exlore", "--call", "Read(a)")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("Did you mean 'Explore'?") as string,
  });
  const broken = shop({ ".claude/settings.json": "{" });
  expect(broken.retinue("explain", "--call", "Read(a)")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(join(broken.cwd, ".claude/settings.json:1:2")) as string,
  });
});

test("it fits a screen, and text in it is only text", () => {
  const { retinue } = shop();
  const command = `echo ${"word ".repeat(100)} > \u001b[2Jwiped\u202e`;
  const { stdout } = retinue("explain", "--call", `Bash(${command})`);
  expect(stdout).toContain("\\x1b[2J");
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(100);
});

test("it runs nothing and writes nothing", () => {
  const { retinue, cwd, config } = shop();
  retinue("explain", "--call", "Bash(touch made)", "--allowedTools", "Bash");
  expect(existsSync(join(cwd, "made"))).toBe(false);
  expect(existsSync(config) ? readdirSync(config) : []).not.toContain("projects");
});

test("hosts get the same as data", async () => {
  const { manager, cwd } = setStage("turns: [{ reply: done }]", {
    settings: { permissions: { deny: ["Read(./secrets/**)"] } },
    files: { "secrets/k": "x", "a.txt": "x" },
  });
  symlinkSync("secrets/k", join(cwd, "lnk"));
  expect(await manager.explainCall("Explore", "Read(lnk)")).toMatchObject({
    agent: "Explore",
    missing: null,
    decision: { verdict: "deny", rule: { rule: "Read(./secrets/**)" } },
    trace: [{ stage: "deny rules" }],
  });
  const input = { file_path: "a.txt" };
  expect(await manager.explainCall("Explore", { tool: "Read", input })).toMatchObject({
    decision: { verdict: "allow" },
  });
  await expect(manager.explainCall("exlore", "Read(a)")).rejects.toThrow(/Did you mean 'Explore'/);
  expect(manager.list({ all: true })).toEqual([]);
});
