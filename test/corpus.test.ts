import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { catalogOf, readConfiguration } from "../src/session/configuration.ts";
import type { Catalog } from "../src/definitions/catalog.ts";
import { loadDefinitionFile } from "../src/definitions/definition-file.ts";
import type { AgentDefinition } from "../src/definitions/definition.ts";
import type { Diagnostic } from "../src/contract/diagnostic.ts";
import { Environment } from "../src/resolve/environment.ts";
import { memoryDirectory } from "../src/resolve/memory.ts";
import { resolveModel } from "../src/resolve/model.ts";
import { initialAttachments } from "../src/resolve/prompt.ts";
import { resolveTools } from "../src/resolve/tools.ts";
import { settingsSchema } from "../src/settings/settings.ts";
import { trustFolder } from "../src/settings/trust.ts";
import { toolRegistry } from "../src/tools/registry.ts";

/** Real files of other people, beside the repository on some machines. `src/definitions/quirks.test.ts` has our own. */
const corpus = fileURLToPath(new URL("../../shared/corpus/", import.meta.url));
const here = existsSync(corpus);

interface Entry {
  file: string;
  name: string | null;
  claudeCodeLoads: boolean;
}

interface Expected {
  loaded: Record<string, { description: string; toolsShown: string }>;
  models: Record<string, string>;
  effectiveTools: Record<string, string[]>;
}

test.skipIf(!here)("real agent files load, or not, as they do elsewhere", async () => {
  const entries = read("agents/manifest.json") as Entry[];
  const different: string[] = [];
  for (const { file, name, claudeCodeLoads } of entries) {
    const { definitions, diagnostics } = await loadDefinitionFile(
      `${corpus}agents/${file}`,
      "project",
    );
    const loads = definitions.length === 1;
    if (loads !== claudeCodeLoads || (loads && definitions[0]?.name !== name)) different.push(file);
    if (!loads) expect(diagnostics.length).toBeGreaterThan(0);
  }
  expect(entries.length).toBe(150);
  expect(different).toEqual([]);
});

/** Where we differ on purpose, in what, and the row that decides it. */
const decided: Record<string, { name?: null; shown?: string; tools?: "no_tools"; row: string }> = {
  "q08:colonname": { name: null, row: "FORMATS 1.3.7: a colon in a name is refused, and told" },
  "q16-toolsjsonstr": { tools: "no_tools", row: "SPEC 1.2: nothing left refuses to launch" },
  "q20-toolsemptylist": { tools: "no_tools", shown: "none", row: "SPEC 1.2" },
  "q22-toolsallunknown": { tools: "no_tools", row: "SPEC 1.2" },
  "q24-toolslower": { tools: "no_tools", row: "SPEC 1.2" },
  "q43-hiddendir": { name: null, row: "an agent may write there: see find-files.ts" },
  "q58-memory": { shown: "Grep", row: "SPEC 1.22: the others are for its own directory only" },
};

describe.skipIf(!here)("the quirks of agent files", () => {
  const expected = here ? (read("quirks/expected.json") as Expected) : undefined;
  const { loaded = {}, models = {}, effectiveTools = {} } = expected ?? {};
  let catalog: Catalog;
  let environment: Environment;
  let agents: string;
  const diagnostics: Diagnostic[] = [];

  /** As a project has them, through everything that a session does. */
  beforeAll(async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "retinue-quirks-")));
    agents = join(root, "work", ".claude", "agents");
    cpSync(`${corpus}quirks/agents`, agents, { recursive: true });
    const places = { cwd: join(root, "work"), configDir: join(root, "config") };
    await trustFolder(places.cwd, places.configDir);
    const configuration = readConfiguration({ ...places, managedDir: join(root, "managed") });
    environment = new Environment({ ...places, now: 0 });
    catalog = await catalogOf(configuration, {
      entrypoint: "cli",
      programmatic: () => [],
      report: (diagnostic) => diagnostics.push(diagnostic),
    })();
    return () => rmSync(root, { recursive: true });
  });

  const own = (): AgentDefinition[] => catalog.list().filter(({ source }) => source === "project");
  const named = (name: string): AgentDefinition => {
    const found = catalog.find(name);
    if (found?.name !== name) throw new Error(`${name} is not there`);
    return found;
  };

  test("exactly the same names are there", () => {
    const names = Object.keys(loaded).filter((name) => decided[name]?.name !== null);
    expect(own().map(({ name }) => name)).toEqual(names.toSorted());
    expect(names).toHaveLength(Object.keys(loaded).length - 2);
    expect(names.length).toBeGreaterThan(50);
    expect(catalog.find("q08:colonname")).toBeUndefined();
  });

  test("every file is used, shadowed, or told of", () => {
    const files = readdirSync(agents, { recursive: true })
      .map((file) => join(agents, String(file)))
      .filter((file) => file.endsWith(".md"));
    const used = new Set(catalog.candidates().map(({ definition }) => definition.file));
    const told = new Set(diagnostics.map(({ file }) => file));
    const hidden = join(agents, ".hid");
    expect(diagnostics.some(({ message }) => message.startsWith(`${hidden} begins`))).toBe(true);
    expect(files.filter((file) => !used.has(file) && !told.has(file))).toEqual([
      join(hidden, "q43.md"),
    ]);
    const rejected = files.filter((file) => !used.has(file));
    expect(rejected.length).toBe(files.length - own().length - 1);
    expect(rejected.length).toBeGreaterThan(15);
    const second = catalog
      .candidates()
      .find(({ definition }) => definition.file?.endsWith("q37b.md"));
    expect(second?.passedOver).toMatch(/^shadowed by .*q37a\.md \(project 30\)$/);
  });

  test.each(Object.entries(loaded).filter(([name]) => decided[name]?.name !== null))(
    "%s is described, and shown to a model, alike",
    async (name, { description, toolsShown }) => {
      expect(named(name).description).toBe(description);
      const [listing] = await initialAttachments({
        definition: { ...named(name), omitClaudeMd: true },
        environment,
        found: { catalog, instructions: () => environment.instructions() },
        spawn: { allowed: true, types: [name] },
      });
      const shown = decided[name]?.shown ?? toolsShown;
      expect(shown === toolsShown).toBe(decided[name]?.shown === undefined);
      expect(listing?.details).toMatchObject({
        addedLines: [`- ${name}: ${description} (Tools: ${shown})`],
      });
    },
  );

  test.each(Object.entries(models))("%s runs on %s", (name, words) => {
    const settings = settingsSchema.parse({});
    const verbatim = /^"?(.*?)"? \((?:passed through )?verbatim\)$/.exec(words)?.[1];
    const alias = /^same as alias (\w+) /.exec(words)?.[1];
    expect([verbatim, alias].filter((one) => one !== undefined)).toHaveLength(1);
    const model = verbatim ?? settings.modelAliases[alias ?? ""];
    expect(model).toBeTruthy();
    const resolved = resolveModel({
      environment: undefined,
      call: undefined,
      definition: named(name).model,
      parent: "of-the-parent",
      settings,
    });
    expect(resolved).toEqual({ model, from: "definition" });
  });

  test.each(Object.entries(effectiveTools))("%s gets %j", (name, tools) => {
    const definition = named(name);
    const resolved = resolveTools({
      type: name,
      available: [...toolRegistry.values()],
      wanted: definition.tools,
      unwanted: definition.disallowedTools,
      denied: [],
      isMain: false,
      atDepthLimit: false,
      background: false,
      backgroundMcp: false,
      mode: "default",
      readOnly: false,
      memory: memoryDirectory(definition, environment),
    });
    if (decided[name]?.tools !== undefined) {
      expect(tools).toEqual([]);
      expect(resolved.refusal?.code).toBe(decided[name].tools);
      return;
    }
    // "(Grep where available)": our list has it.
    const wanted = tools.map((tool) => /^\((\w+) where available\)$/.exec(tool)?.[1] ?? tool);
    expect(resolved.tools).toEqual(wanted.toSorted());
  });
});

function read(file: string): unknown {
  return JSON.parse(readFileSync(corpus + file, "utf8"));
}
