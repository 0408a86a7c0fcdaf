import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadSkills } from "../src/definitions/skills.ts";
import { findPlugins, type FoundPlugins } from "../src/plugins/find-plugins.ts";
import { temporaryDirectory } from "./support/stage.ts";

/** Real files of other people, beside the repository on some machines. */
const corpus = fileURLToPath(new URL("../../shared/corpus/", import.meta.url));
const here = existsSync(corpus);

test.skipIf(!here)("every real plugin is found under its own name", () => {
  const manifests = files("plugins", "plugin.json");
  const names = manifests.map(
    (file) => (JSON.parse(readFileSync(file, "utf8")) as { name: string }).name,
  );
  const { plugins, diagnostics } = find(manifests.map(rootOf));
  expect(plugins.map(({ name }) => name)).toEqual(names);
  expect(plugins).toHaveLength(7);
  // The sample has manifests only, so the 55 paths that they name lead nowhere.
  expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(["missing"]));
  expect(diagnostics).toHaveLength(55);
});

test.skipIf(!here)(
  "real marketplaces give the plugins that are there and tell of the others",
  () => {
    const marketplaces = files("plugins", "marketplace.json");
    const found = marketplaces.map((file) => find([rootOf(file)]));
    expect(found.map(({ plugins }) => plugins.map(({ name }) => name))).toEqual([
      ["oh-my-claudecode"],
      ["asana", "context7", "discord"],
      ["superpowers"],
    ]);
    const said = found[1]?.diagnostics.map(({ code }) => code) ?? [];
    expect(said.filter((code) => code === "unsupported")).toHaveLength(233);
    expect(said.filter((code) => code === "missing")).toHaveLength(50);
    expect(said).toHaveLength(233 + 50);
  },
);

test.skipIf(!here)("every real skill loads under its directory's name", async () => {
  const found = files("skills", "SKILL.md");
  const places = [...new Set(found.map((file) => dirname(dirname(file))))];
  const loaded = await Promise.all(
    places.map((directory) => loadSkills([{ directory, source: "project" }])),
  );
  const skills = loaded.flatMap(({ skills }) => skills);
  expect(new Map(skills.map(({ name, file }) => [file, name]))).toEqual(
    new Map(found.map((file) => [file, basename(dirname(file))])),
  );
  expect(skills).toHaveLength(22);
  expect(loaded.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
  for (const { description, listing, body } of skills) {
    expect(Math.min(description.length, listing.length, body.length)).toBeGreaterThan(20);
    expect(listing.length).toBeLessThanOrEqual(1536);
  }
});

function find(pluginDirs: string[]): FoundPlugins {
  return findPlugins({ configDir: temporaryDirectory(), pluginDirs });
}

function rootOf(file: string): string {
  return dirname(dirname(file));
}

/** In hidden directories too. */
function files(folder: string, name: string): string[] {
  return readdirSync(join(corpus, folder), { recursive: true })
    .map((file) => join(corpus, folder, String(file)))
    .filter((file) => basename(file) === name)
    .toSorted();
}
