import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { packagePath } from "../../contract/package-path.ts";
import { RetinueError } from "../../contract/errors.ts";
import { repositoryRoot } from "../../platform/git/git.ts";
import { realPath } from "../../platform/files/real-path.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { mustBePerson } from "../find/caller.ts";
import { placeFiles, type PlacedFile } from "../find/place-files.ts";
import { plain } from "../terminal/sanitize.ts";
import { json } from "../options/shared-options.ts";

/** The template files, copied unchanged into `.claude/`. */
const templateDirectory = packagePath("templates/init");
const rehearsal =
  'retinue run -a reviewer --rehearse .claude/rehearsals/reviewer.yaml "Review the newest file"';

export function addInit(program: Command): void {
  program
    .command("init")
    .description("write a first agent, its rehearsal and settings into .claude/ of this directory")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Writes .claude/agents/reviewer.md, .claude/rehearsals/reviewer.yaml and .claude/settings.json into the
current directory, even if the root of the repository is further up. Existing files are not changed.`,
    )
    .action(initCommand);
}

/** `retinue init`: a first agent, its rehearsal and settings in the current directory. */
async function initCommand(options: { json?: boolean }): Promise<void> {
  const directory = process.cwd();
  await mustBePerson("write agents and settings this way");
  await refuseUserDirectory(directory);
  const names = globSync("**/*.*", { cwd: templateDirectory }).toSorted();
  const files = await placeFiles(
    directory,
    names.map((name) => ({
      path: `.claude/${name}`,
      content: readFileSync(join(templateDirectory, name)),
    })),
  );
  // Where npx started this, the command alone would not be found.
  const command = `${process.env["npm_command"] === "exec" ? "npx " : ""}${rehearsal}`;
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ directory, files, rehearsal: command }, null, 2)}\n`
      : report(directory, files, command),
  );
}

/** Refuses the user directory: an agent and a settings file there would apply to every project of this user. */
async function refuseUserDirectory(directory: string): Promise<void> {
  const [own, users] = [join(directory, ".claude"), defaultConfigDir()].map((path) =>
    realPath(path),
  );
  if (own !== users) return;
  throw new RetinueError(
    "unsupported",
    `.claude in ${directory} is your user configuration, so files in it would apply to all your projects. Change to a repository and try again.`,
  );
}

function report(directory: string, files: readonly PlacedFile[], command: string): string {
  const root = repositoryRoot(directory);
  const states = new Set(files.map(({ state }) => state));
  return [
    `In the current directory, ${plain(directory)}:`,
    ...files.map(({ path, state }) => `  ${state.padEnd(7)}  ${path}`),
    ...(states.has("kept") ? ["A kept file was there before and is unchanged."] : []),
    ...(states.size > 1 ? ["The rehearsal expects the agent that comes with it."] : []),
    ...(root === undefined || root === directory
      ? []
      : [`The repository begins at ${plain(root)}; only from here downwards the agent is found.`]),
    "",
    "Run the agent without a key; replies are scripted, tools are real:",
    `  ${command}`,
    "",
    notes,
    "",
  ].join("\n");
}

const notes = `What this version uses: every agent in .claude/agents/, the rehearsal that --rehearse names, and
.claude/settings.json: its rules that deny and ask hold at once, such as those against reading .env
files; other settings in it act after 'retinue trust'. Besides looking around in the working directory,
an agent may do what rules or --allowedTools allow, or what you allow when it asks.

A key for a real model belongs in the environment, never in a file of the repository:
ANTHROPIC_API_KEY, and ANTHROPIC_BASE_URL for another server.`;
