// Prints the size of the product: lines of source by folder, and the imports of a few files that matter.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const sources = globSync("src/**/*.ts").filter((file) => !/(\.test|-fixture)\.ts$/.test(file));
const folderOf = (file: string): string => file.split("/").slice(0, 2).join("/");
const folders = Map.groupBy(sources, (file) =>
  dirname(file) === "src" ? "src/*" : folderOf(file),
);

print("Source, without tests and fixtures", [
  ["src", sources],
  ...[...folders].toSorted(([, a], [, b]) => linesOf(b) - linesOf(a)),
]);
print("With all that it imports, without types and dynamic imports", [
  ["src/spawn.ts", closureOf("src/spawn.ts")],
  ["src/loop/run-loop.ts", closureOf("src/loop/run-loop.ts")],
  ["src/lifecycle/run-agent.ts", closureOf("src/lifecycle/run-agent.ts")],
  ["src/manager.ts", closureOf("src/manager.ts")],
  ["retinue run", closureOf("src/cli/command-line.ts", "src/cli/commands/run.ts")],
]);

function print(title: string, rows: readonly [name: string, files: readonly string[]][]): void {
  process.stdout.write(`${title}\n`);
  for (const [name, files] of rows) {
    const lines = String(linesOf(files)).padStart(6);
    const count = String(files.length).padStart(4);
    process.stdout.write(`  ${name.padEnd(28)}${count} files${lines} lines\n`);
  }
}

function linesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length - 1, 0);
}

function closureOf(...entries: string[]): string[] {
  const found = new Set(entries);
  // A set visits what is added while it is read.
  for (const file of found) for (const target of importsOf(file)) found.add(target);
  return [...found];
}

/** The sources that Node loads before this one runs. */
function importsOf(file: string): string[] {
  return parseAst(readFileSync(file, "utf8"), { lang: "ts" }).body.flatMap((node) => {
    if (
      node.type !== "ImportDeclaration" &&
      node.type !== "ExportNamedDeclaration" &&
      node.type !== "ExportAllDeclaration"
    )
      return [];
    const kind = node.type === "ImportDeclaration" ? node.importKind : node.exportKind;
    const from = node.source?.value ?? "";
    return kind === "value" && /^\..*\.ts$/.test(from) ? [join(dirname(file), from)] : [];
  });
}
