import { expect, test } from "vitest";
import { buildProgram } from "./program.ts";

const namesFor = async (...words: string[]): Promise<string[]> =>
  (await buildProgram(words)).commands.map((command) => command.name());

test("the name of a command brings that command alone", async () => {
  const names = await namesFor();
  expect(names.slice(0, 3)).toEqual(["run", "init", "demo"]);
  for (const name of names) expect(await namesFor(name, "--help")).toEqual([name]);
});

test("a word that is no name of a command brings all of them, to suggest one or to list them", async () => {
  const names = await namesFor();
  for (const word of ["--help", "help", "remove", "staus", "constructor"])
    expect(await namesFor(word)).toEqual(names);
});
