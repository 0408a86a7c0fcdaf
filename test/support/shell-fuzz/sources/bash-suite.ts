import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bashTestsDirectory } from "../../../../scripts/fetch-bash-tests.ts";

/** Every line and every paragraph of bash's own tests; none where they have not been fetched. */
export function bashSuite(directory = bashTestsDirectory): string[] {
  if (!existsSync(directory)) return [];
  const texts = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tests|sub)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  const found = new Set<string>();
  for (const text of texts.filter((one) => one.isWellFormed())) {
    const lines = text.split("\n");
    for (const line of lines) found.add(line);
    for (const chunk of text.split(/\n\s*\n/)) found.add(chunk);
    for (let at = 0; at + 1 < lines.length; at += 1) {
      found.add(lines.slice(at, at + 2).join("\n"));
      found.add(lines.slice(at, at + 4).join("\n"));
    }
  }
  return [...found].filter((one) => one.trim() !== "" && !/^\s*#[^\n]*$/.test(one));
}
