import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadDefinitionFile } from "../src/definitions/definition-file.ts";

/** Real files of other people, beside the repository on some machines. `src/definitions/quirks.test.ts` has our own. */
const corpus = fileURLToPath(new URL("../../shared/corpus/", import.meta.url));
const here = existsSync(corpus);

interface Entry {
  file: string;
  name: string | null;
  claudeCodeLoads: boolean;
}

interface Expected {
  loaded: Record<string, { description: string }>;
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

/** Where we differ on purpose. */
const decided: Record<string, string> = {
  "q08:colonname":
    "a name with a colon is refused, and that is said (FORMATS 1.3.7, newer versions)",
  "q37-dupname":
    "of two files with one name the first path counts (FORMATS 1.3.11); the catalog sorts that out",
};

test.skipIf(!here)("the quirks of agent files are read as they are elsewhere", async () => {
  const { loaded } = read("quirks/expected.json") as Expected;
  const found = new Map<string, string>();
  for (const file of readdirSync(`${corpus}quirks/agents`, { recursive: true })
    .map(String)
    .toSorted()) {
    if (!file.endsWith(".md")) continue;
    const { definitions } = await loadDefinitionFile(`${corpus}quirks/agents/${file}`, "project");
    for (const { name, description } of definitions) {
      if (!found.has(name)) found.set(name, description);
    }
  }
  const different = Object.entries(loaded)
    .filter(([name, { description }]) => found.get(name) !== description)
    .map(([name]) => name);
  expect(different.filter((name) => !(name in decided))).toEqual([]);
  expect([...found.keys()].filter((name) => !(name in loaded))).toEqual([]);
});

function read(file: string): unknown {
  return JSON.parse(readFileSync(corpus + file, "utf8"));
}
