import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "../../test/support/stage.ts";
import { loadSettings, type LoadedSettings, type SettingsRequest } from "./load-settings.ts";
import { originOf } from "./provenance.ts";

const places = {
  part: "managed/managed-settings.d/10.json",
  managed: "managed/managed-settings.json",
  local: "work/.claude/settings.local.json",
  project: "work/.claude/settings.json",
  user: "config/settings.json",
} as const;
type Place = keyof typeof places;
type Files = Partial<Record<Place, unknown>>;
type Loading = Partial<Pick<SettingsRequest, "trusted" | "commandLine">>;

function load(files: Files, options: Loading = {}): LoadedSettings & { root: string } {
  const root = temporaryDirectory();
  mkdirSync(join(root, "work"));
  const texts = Object.entries(files).map(([place, content]) => [
    places[place as Place],
    typeof content === "string" ? content : JSON.stringify(content),
  ]);
  writeFiles(root, Object.fromEntries(texts) as Record<string, string>);
  return { ...loadAt(root, options), root };
}

function loadAt(root: string, options: Loading = {}): LoadedSettings {
  return loadSettings({
    cwd: join(root, "work"),
    configDir: join(root, "config"),
    managedDir: join(root, "managed"),
    trusted: true,
    ...options,
  });
}

const isRoot = process.getuid?.() === 0;

describe("loadSettings", () => {
  const order = ["part", "managed", "command line", "local", "project", "user"] as const;
  const pairs = order.flatMap((higher, at) =>
    order.slice(at + 1).map((lower) => ({ higher, lower })),
  );

  test.each(pairs)("$higher wins over $lower", ({ higher, lower }) => {
    const said = { [higher]: { model: "high" }, [lower]: { model: "low" } };
    const { "command line": values, ...files } = said as Files & { "command line"?: object };
    const commandLine = [{ values: { ...values }, where: "--settings" }];
    const { settings, diagnostics } = load(files, values === undefined ? {} : { commandLine });
    expect(settings.model).toBe("high");
    expect(diagnostics).toEqual([]);
  });

  test("no file at all is the defaults, without a word", () => {
    const { settings, values, files, diagnostics } = load({});
    expect(diagnostics).toEqual([]);
    expect(files).toEqual([]);
    expect(values).toEqual({});
    expect(settings).toMatchObject({
      model: "sonnet",
      permissions: { allow: [], ask: [], deny: [], additionalDirectories: [] },
      strictPluginOnlyCustomization: [],
      allowPluginAgentExtensions: [],
      agents: { lenient: false },
      background: { mcp: false, prompts: "inbox" },
      cleanupPeriodDays: 30,
      env: {},
    });
  });

  test("joins rules of all scopes and knows whose each is", () => {
    const { settings, provenance, root } = load({
      managed: { permissions: { deny: ["Bash(rm *)"] } },
      user: { permissions: { deny: ["WebFetch"], allow: ["Edit"] }, other: { key: 1 } },
      project: { permissions: { allow: ["Edit", "Write"] } },
    });
    expect(settings.permissions.deny).toEqual(["Bash(rm *)", "WebFetch"]);
    expect(settings.permissions.allow).toEqual(["Edit", "Write"]);
    expect(settings["other"]).toEqual({ key: 1 });
    expect(originOf(provenance, ["permissions", "deny", 1])).toEqual({
      scope: "user",
      file: join(root, places.user),
    });
    expect(originOf(provenance, ["permissions", "allow", 0])?.scope).toBe("project");
  });

  test("a byte order mark and an empty file do no harm", () => {
    const { settings, diagnostics } = load({ user: '\uFEFF{"model": "opus"}', project: " \n" });
    expect(settings.model).toBe("opus");
    expect(diagnostics).toEqual([]);
  });

  test("invalid JSON is reported with its place, without quoting it, and the other files count", () => {
    const { settings, diagnostics, root } = load({
      project: '{\n  "model": "opus",\n  "env": {"SECRET": "hunter2",}\n}',
      user: { model: "haiku" },
    });
    expect(settings.model).toBe("haiku");
    expect(diagnostics).toMatchObject([
      {
        severity: "error",
        code: "unreadable",
        file: join(root, places.project),
        line: 3,
        column: 31,
      },
    ]);
    expect(diagnostics[0]?.message).toMatch(/key in double quotes is expected here.*Correct it/s);
    expect(diagnostics[0]?.message).not.toContain("hunter2");
  });

  test("limits, which only programs can give, are reported; keys of other programs are not", () => {
    const { diagnostics } = load({ user: { limits: { noProgress: 1000 }, statusLine: {} } });
    expect(diagnostics).toMatchObject([
      {
        severity: "warning",
        code: "unknown",
        field: "limits",
        message: expect.stringMatching(/not a setting.*createManager.*--timeout/) as string,
      },
    ]);
  });

  test.each(["[1]", "null", '"text"', "3"])("%s at the top is no settings", (text) => {
    const { diagnostics } = load({ user: text });
    expect(diagnostics).toMatchObject([{ code: "unreadable", line: 1, column: 1 }]);
  });

  test("a broken part of a policy is an error, and its other files still hold", () => {
    const { settings, diagnostics } = load({
      part: "{",
      managed: { permissions: { deny: ["WebFetch"] } },
    });
    expect(settings.permissions.deny).toEqual(["WebFetch"]);
    expect(diagnostics).toMatchObject([{ severity: "error", line: 1, column: 2 }]);
  });

  test.skipIf(isRoot)("a directory of parts that cannot be listed is an error", () => {
    const { root } = load({ part: { model: "opus" } });
    const directory = dirname(join(root, places.part));
    chmodSync(directory, 0o000);
    const { diagnostics } = loadAt(root);
    chmodSync(directory, 0o700);
    expect(diagnostics).toMatchObject([{ severity: "error", file: directory }]);
  });

  test("a pipe, a directory and a file of 50 MB are not read", () => {
    const { root } = load({ user: { model: "opus" }, local: "", managed: "" });
    mkdirSync(join(root, places.project), { recursive: true });
    truncateSync(join(root, places.managed), 50 * 1024 * 1024);
    execFileSync("rm", [join(root, places.local)]);
    execFileSync("mkfifo", [join(root, places.local)]);
    const { settings, diagnostics } = loadAt(root);
    expect(settings.model).toBe("opus");
    expect(diagnostics.map(({ file, message }) => [file, message.split(". ")[0]])).toEqual([
      [join(root, places.managed), "The settings are not used: it is larger than 1024 KiB"],
      [join(root, places.local), "The settings are not used: it is not a regular file"],
      [join(root, places.project), "The settings are not used: it is not a regular file"],
    ]);
  });

  test("a key named __proto__ changes no object of the program", () => {
    const { settings, diagnostics } = load({
      user: '{"__proto__": {"polluted": true}, "env": {"__proto__": "x", "A": "b"}}',
    });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect((settings as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(settings.env).toEqual({ A: "b" });
    expect(diagnostics.map(({ field }) => field)).toContain("__proto__");
  });
});

describe("one bad value", () => {
  test("drops its key alone, and says in which file and what is expected", () => {
    const { settings, diagnostics, root } = load({
      user: '{\n  "cleanupPeriodDays": 0,\n  "model": "opus",\n  "background": {"mcp": true,\n    "prompts": "loud"}\n}',
    });
    expect(settings).toMatchObject({
      cleanupPeriodDays: 30,
      model: "opus",
      background: { mcp: true, prompts: "inbox" },
    });
    const file = join(root, places.user);
    expect(diagnostics).toMatchObject([
      { severity: "error", code: "invalid", file, line: 5, column: 5, field: "background.prompts" },
      { severity: "error", code: "invalid", file, line: 2, column: 3, field: "cleanupPeriodDays" },
    ]);
    expect(diagnostics[0]?.message).toContain("must be one of inbox, deny");
  });

  test("leaves what a lower file says in force", () => {
    const { settings } = load({ local: { model: 7 }, user: { model: "opus" } });
    expect(settings.model).toBe("opus");
  });

  test.each([
    { permissions: "none" },
    { permissions: { deny: "none" } },
    { permissions: { deny: [7] } },
  ])("%j in a project takes no rule of a policy away", (project) => {
    const { settings, diagnostics } = load({
      managed: { permissions: { deny: ["WebFetch"] } },
      project,
    });
    expect(settings.permissions.deny).toEqual(["WebFetch"]);
    expect(diagnostics).toMatchObject([{ severity: "error", code: "invalid" }]);
  });

  test("in a list drops the item alone", () => {
    const { settings, diagnostics } = load({
      managed: { strictPluginOnlyCustomization: ["skills", "agnets"] },
      user: { permissions: { deny: ["Bash", 7, "Edit"] } },
    });
    expect(settings.strictPluginOnlyCustomization).toEqual(["skills"]);
    expect(settings.permissions.deny).toEqual(["Bash", "Edit"]);
    expect(diagnostics.map(({ field }) => field)).toEqual([
      "strictPluginOnlyCustomization.1",
      "permissions.deny.1",
    ]);
  });

  test("in a price drops that price", () => {
    const { settings } = load({
      user: {
        prices: { a: { input: 1 }, b: { input: 1, output: 2 }, c: { input: 1, output: "x" } },
      },
    });
    expect(settings.prices).toEqual({ b: { input: 1, output: 2 } });
  });

  test("a hundred thousand of them are a hundred reports", () => {
    const numbers = Array.from({ length: 100_000 }, (_, at) => at);
    const { diagnostics } = load({ project: { permissions: { deny: numbers } } });
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.at(-1)?.message).toBe("99900 more problems are not listed.");
  });
});

describe("before the folder is trusted", () => {
  const files = {
    user: { env: { USER: "1" }, permissions: { allow: ["Edit"] } },
    project: {
      $schema: "https://example.com/schema.json",
      env: { LD_PRELOAD: "./evil.so" },
      hooks: { SessionStart: [] },
      model: "opus",
      permissions: { allow: ["Bash"], deny: ["WebFetch"], ask: ["Write"], defaultMode: "auto" },
    },
    local: { agents: { lenient: true }, permissions: { additionalDirectories: ["/"] } },
  };

  test("its own files only deny and ask", () => {
    const { values } = load(files, { trusted: false });
    expect(values).toEqual({
      env: { USER: "1" },
      permissions: { allow: ["Edit"], deny: ["WebFetch"], ask: ["Write"] },
    });
  });

  test("each other key is reported once, with the remedy", () => {
    const { diagnostics } = load(files, { trusted: false });
    expect(diagnostics.map(({ field, severity, code }) => [field, severity, code])).toEqual(
      [
        "agents",
        "permissions.additionalDirectories",
        "env",
        "hooks",
        "model",
        "permissions.allow",
        "permissions.defaultMode",
      ].map((field) => [field, "warning", "inert"]),
    );
    for (const { message } of diagnostics) expect(message).toContain("run 'retinue trust'");
  });

  test("once it is trusted everything acts", () => {
    const { settings, diagnostics } = load(files);
    expect(settings.env).toEqual({ USER: "1", LD_PRELOAD: "./evil.so" });
    expect(settings.permissions.allow).toEqual(["Bash", "Edit"]);
    expect(diagnostics).toEqual([]);
  });
});

describe("a policy", () => {
  const managedOnly = {
    strictPluginOnlyCustomization: true,
    allowPluginAgentExtensions: ["hooks"],
    strictKnownMarketplaces: [],
    allowManagedHooksOnly: true,
    allowManagedPermissionRulesOnly: true,
    allowManagedMcpServersOnly: true,
  };

  test("alone may set what is an administrator's", () => {
    expect(load({ managed: managedOnly }).values).toEqual(managedOnly);
    for (const place of ["user", "project", "local"] as const) {
      const { values, diagnostics } = load({ [place]: managedOnly });
      expect(values).toEqual({});
      expect(diagnostics.map(({ code, field }) => [code, field])).toEqual(
        Object.keys(managedOnly).map((key) => ["inert", key]),
      );
    }
    const commandLine = [{ values: managedOnly, where: "--settings" }];
    const { values, diagnostics } = load({}, { commandLine });
    expect(values).toEqual({});
    expect(diagnostics[0]).toMatchObject({ file: "--settings", severity: "warning" });
  });

  test("can keep the rules that allow to itself; all others still deny and ask", () => {
    const rules = (word: string): object => ({ allow: [word], ask: [word], deny: [word] });
    const commandLine = [{ values: { permissions: rules("c") }, where: "--settings" }];
    const { settings, diagnostics } = load(
      {
        managed: { allowManagedPermissionRulesOnly: true, permissions: rules("m") },
        user: { permissions: rules("u") },
      },
      { commandLine },
    );
    expect(settings.permissions).toMatchObject({
      allow: ["m"],
      ask: ["m", "c", "u"],
      deny: ["m", "c", "u"],
    });
    expect(diagnostics.map(({ field, code }) => [field, code])).toEqual([
      ["permissions.allow", "inert"],
      ["permissions.allow", "inert"],
    ]);
  });
});

test("a file that says only how deep it can nest is refused without a crash", () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, "config"));
  mkdirSync(join(root, "work"));
  writeFileSync(
    join(root, places.user),
    `{"hooks": ${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}, "model": "opus"}`,
  );
  const { settings, diagnostics } = loadAt(root);
  expect(settings.model).toBe("opus");
  expect(diagnostics).toMatchObject([{ field: "hooks", line: 1, column: 2 }]);
});
