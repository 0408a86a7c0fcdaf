import { RetinueError } from "../../contract/errors.ts";
import type { OptionSettings } from "../../settings/load-settings.ts";
import type { Values } from "../../settings/layer.ts";
import { ruleProblem } from "./rule-problem.ts";

/** The settings that options give, each under the option's own name: reasons name it. Throws for a rule with a problem. */
export function optionSettings(
  { settings, disallowedTools }: { settings: Values; disallowedTools: readonly string[] },
  entrypoint: "cli" | "library",
): OptionSettings[] {
  const where = optionName("disallowedTools", entrypoint);
  const [problem] = disallowedTools.flatMap((rule) => ruleProblem("deny", rule) ?? []);
  if (problem !== undefined) throw new RetinueError("invalid_config", `${where}: ${problem}`);
  const all = [
    { values: settings, where: optionName("settings", entrypoint) },
    { values: { permissions: { deny: disallowedTools } }, where },
  ];
  return disallowedTools.length === 0 ? all.slice(0, 1) : all;
}

/** The option as the person typed it. */
export function optionName(name: string, entrypoint: "cli" | "library"): string {
  return entrypoint === "cli" ? `--${name}` : `the option ${name}`;
}
