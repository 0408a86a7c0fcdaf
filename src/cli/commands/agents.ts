import { Catalog } from "../../definitions/catalog.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import { DefinitionLoader } from "../../definitions/load.ts";
import { settingsSchema } from "../../settings/settings.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { columns } from "../columns.ts";
import { plain, plainLine } from "../sanitize.ts";

/** `retinue agents ls`: the types that can be spawned from here, and what is wrong with files that cannot. */
export async function agentsListCommand(options: { json?: boolean }): Promise<void> {
  const loader = new DefinitionLoader({ cwd: process.cwd(), configDir: defaultConfigDir() });
  const { definitions, diagnostics } = await loader.load();
  const catalog = new Catalog(definitions, {
    settings: settingsSchema.parse({}),
    entrypoint: "cli",
  });
  if (options.json === true) {
    const rows = catalog
      .list()
      .map(({ name, description, source, file, tools, disallowedTools, model }) => ({
        name,
        description,
        source,
        file,
        tools: tools ?? "*",
        disallowedTools: disallowedTools ?? [],
        model: model ?? "inherit",
        diagnostics: diagnostics.filter((diagnostic) => diagnostic.file === file),
      }));
    process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    report(diagnostics);
    return;
  }
  const rows = catalog
    .list()
    .map((definition) =>
      [
        definition.name,
        definition.source,
        definition.model ?? "inherit",
        definition.description,
      ].map((text) => plainLine(text)),
    );
  process.stdout.write(
    `${columns([["NAME", "SOURCE", "MODEL", "DESCRIPTION"], ...rows], process.stdout.columns).join("\n")}\n`,
  );
  report(diagnostics);
}

function report(diagnostics: readonly Diagnostic[]): void {
  for (const { severity, file, line, message } of diagnostics) {
    if (severity === "info") continue;
    process.stderr.write(`${severity}: ${plain(file)}:${line}: ${plain(message)}
`);
  }
}
