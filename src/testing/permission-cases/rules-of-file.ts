import { RetinueError } from "../../contract/errors.ts";
import type { SourcedRule } from "../../contract/resolved-agent.ts";
import { checkSettings } from "../../settings/check-settings.ts";
import { readSettingsFile } from "../../settings/read-settings-file.ts";

/** The rules of one settings file, as if its folder were trusted. Throws if they cannot be used: a test would lie. */
export function rulesOfFile(file: string): SourcedRule[] {
  const { layer, diagnostics } = readSettingsFile({ scope: "project", file });
  const problem = diagnostics[0]?.message;
  if (layer === undefined)
    throw new RetinueError(
      "invalid_config",
      `${file}: ${problem ?? "The file contains no settings. Correct 'settings' in the file with the cases."}`,
    );
  const { settings, bad } = checkSettings(layer.values);
  const lost = bad.find(({ path }) => path[0] === "permissions");
  if (lost !== undefined) throw new RetinueError("invalid_config", `${file}: ${lost.message}`);
  return (["deny", "ask", "allow"] as const).flatMap((kind) =>
    settings.permissions[kind].map((rule) => ({ kind, rule, source: file })),
  );
}
