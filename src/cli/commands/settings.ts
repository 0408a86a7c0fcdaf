import type { Command } from "commander";
import type { SettingOrigin } from "../../settings/layer.ts";
import type { KeyPath } from "../../platform/plain-values.ts";
import { pathText } from "../../settings/layer.ts";
import { isObject } from "../../platform/is-object.ts";
import { originOf } from "../../settings/provenance.ts";
import { table } from "../terminal/columns.ts";
import { readHere, type HereOptions } from "../run/read-here.ts";
import { reportDiagnostics } from "../report-diagnostics.ts";
import { plainLine } from "../terminal/sanitize.ts";
import { hereOptions, json } from "../options/shared-options.ts";

interface SettingRow {
  key: string;
  value: unknown;
  scope: SettingOrigin["scope"];
  file: string;
}

export function addSettings(program: Command): void {
  hereOptions(program.command("settings"))
    .description("list the settings that apply here, and the file of each")
    .option("--json", json)
    .action(settingsCommand);
}

/** `retinue settings`: every value that applies here, and its source. Starts nothing. */
async function settingsCommand(options: HereOptions & { json?: boolean }): Promise<void> {
  const { configuration, diagnostics } = await readHere(options);
  const { values, provenance } = configuration;
  const rows = leaves(values).flatMap(({ path, value }): SettingRow[] => {
    const origin = originOf(provenance, path);
    return origin === undefined ? [] : [{ key: pathText(path), value, ...origin }];
  });
  if (options.json === true) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0) process.stderr.write("No settings: the defaults apply.\n");
  else {
    const texts = rows.map(({ key, value, scope, file }) =>
      [key, scope, file, JSON.stringify(value)].map((text) => plainLine(text)),
    );
    const head = ["KEY", "SCOPE", "FILE", "VALUE"];
    process.stdout.write(table([head, ...texts]));
  }
  reportDiagnostics(diagnostics.filter(({ file }) => !file.endsWith(".md")));
}

/** Values that hold no others; items of lists one by one, because each may come from another file. */
function leaves(value: unknown, path: KeyPath = []): { path: KeyPath; value: unknown }[] {
  const inner = Array.isArray(value)
    ? [...value.entries()]
    : isObject(value)
      ? Object.entries(value)
      : [];
  if (inner.length === 0) return path.length === 0 ? [] : [{ path, value }];
  return inner.flatMap(([key, one]) => leaves(one, [...path, key]));
}
