import { readDefinition } from "../../definitions/definition-file.ts";
import { parseFrontmatter, type FieldPlace } from "../../definitions/frontmatter.ts";
import type { Diagnostic } from "../../contract/diagnostic.ts";

type Places = ReadonlyMap<string, FieldPlace>;

/**
 * Adds the position of their field to diagnostics found only after merging. Each file is read once, however many it
 * has.
 */
export async function withPlaces(
  diagnostics: readonly Diagnostic[],
  read: (file: string) => unknown = readDefinition,
): Promise<Diagnostic[]> {
  const known = new Map<string, Promise<Places | undefined>>();
  const placesIn = (file: string): Promise<Places | undefined> => {
    const places = known.get(file) ?? placesOf(read(file));
    known.set(file, places);
    return places;
  };
  return Promise.all(
    diagnostics.map(async (diagnostic) => {
      const { file, field, line } = diagnostic;
      if (line !== 1 || field === null || !file.endsWith(".md")) return diagnostic;
      return { ...diagnostic, ...(await placesIn(file))?.get(field) };
    }),
  );
}

async function placesOf(text: unknown): Promise<Places | undefined> {
  const parsed = typeof text === "string" ? await parseFrontmatter(text) : undefined;
  return parsed?.kind === "fields" ? parsed.places : undefined;
}
