import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Places } from "../lanes.ts";

const file = fileURLToPath(
  new URL("../../../../../shared/corpus/commands/agent-commands.json", import.meta.url),
);

/** Commands that coding agents ran, in this folder's paths; none where the corpus is not beside the repository. */
export function agentCommands(
  { work, home }: Pick<Places, "work" | "home">,
  path = file,
): string[] {
  if (!existsSync(path)) return [];
  const all = JSON.parse(readFileSync(path, "utf8")) as { command: string }[];
  return all.map(({ command }) => command.replaceAll("/repo", work).replaceAll("/home/user", home));
}
