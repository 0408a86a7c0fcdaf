/**
 * One measurement of loading definitions, in a process of its own: nothing may be warm that is cold for a user. Prints
 * milliseconds as JSON.
 *
 * Usage: node load-definitions.ts floor|retinue <directory>
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DefinitionLoader } from "../dist/definitions/load.js";
import { unrestrained } from "../dist/definitions/restrain.js";
import { sampleDefinition } from "./sample-definitions.ts";

const [program = "", directory = ""] = process.argv.slice(2);
const figures = program === "floor" ? readAll() : await loadAll();
process.stdout.write(JSON.stringify(figures));
process.exit();

/** The least that a program must do: read every file. */
function readAll(): { first: number; again: number } {
  const read = (): void => {
    for (const name of readdirSync(directory)) readFileSync(join(directory, name), "utf8");
  };
  return { first: taken(read), again: taken(read) };
}

async function loadAll(): Promise<{
  first: number;
  again: number;
  oneChanged: number;
  count: number;
}> {
  const loader = new DefinitionLoader({
    places: [{ source: "project", path: directory, trusted: true, within: null }],
    lenient: false,
    restraints: unrestrained,
  });
  let count = 0;
  const load = async (): Promise<void> => {
    count = (await loader.load()).definitions.length;
  };
  const first = await takenBy(load);
  const again = await takenBy(load);
  const changes: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    writeFileSync(join(directory, "agent-7.md"), `${sampleDefinition(7)}${turn}`);
    changes.push(await takenBy(load));
  }
  changes.sort((one, other) => one - other);
  return { first, again, oneChanged: changes[2] ?? Number.NaN, count };
}

function taken(work: () => void): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

async function takenBy(work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}
