import { expect, test } from "vitest";
import { PlainHeaders } from "./plain-headers.ts";

type Editing = (headers: PlainHeaders | Headers) => unknown;

const edits: [string, Editing][] = [
  ["nothing", () => undefined],
  ["set", (headers) => headers.set("X-One", "2")],
  ["set in another case", (headers) => headers.set("x-one", "2")],
  ["append to what is there", (headers) => headers.append("X-ONE", "2")],
  ["append something new", (headers) => headers.append("b", "3")],
  ["delete", (headers) => headers.delete("X-one")],
  ["delete what is not there", (headers) => headers.delete("nothing")],
  ["get", (headers) => [headers.get("X-ONE"), headers.get("no")]],
  ["has", (headers) => [headers.has("X-ONE"), headers.has("no")]],
];

test.each(edits)("does what the built-in ones do: %s", (_name, edit) => {
  for (const init of [
    { "X-One": "1", a: "b" },
    [
      ["X-One", "1"],
      ["x-one", "again"],
    ] as [string, string][],
    new Headers({ "x-one": "1" }),
    undefined,
  ]) {
    const [ours, builtIn] = [new PlainHeaders(init), new Headers(init)];
    expect(edit(ours)).toEqual(edit(builtIn));
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(builtIn));
    expect([...ours.keys()].toSorted()).toEqual([...builtIn.keys()]);
    expect([...ours.values()].toSorted()).toEqual([...builtIn.values()].toSorted());
    const visited: string[][] = [];
    ours.forEach((value, name) => visited.push([name, value]));
    expect(visited).toEqual([...ours.entries()]);
  }
});
