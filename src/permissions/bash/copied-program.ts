import { basename, dirname } from "node:path";
import { matchesCommand, type CommandPattern } from "./pattern.ts";
import type { BashView } from "./view.ts";

/** The part that reads a program which a rule is about, in a line that writes: under another name no rule knows it. */
export function copiedProgram(pattern: CommandPattern, bash: BashView): string | null {
  if (!bash.touched.some(({ effect }) => effect === "write")) return null;
  const [first] = (pattern.literals[0] ?? "").trim().split(/\s+/);
  const places = new Set((process.env["PATH"] ?? "").split(":"));
  const isMeant = (path: string): boolean => {
    const directory = dirname(path);
    if (!places.has(directory) && !usualPlaces.test(directory)) return false;
    return basename(path) === first || matchesCommand(pattern, basename(path));
  };
  const found = bash.touched.find(
    ({ pair, effect }) => effect === "read" && (isMeant(pair.given) || isMeant(pair.real)),
  );
  return found?.part ?? null;
}

const usualPlaces = /^(?:\/usr(?:\/local)?)?\/s?bin$|\/git-core$/;
