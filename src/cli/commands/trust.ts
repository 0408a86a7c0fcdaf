import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { Option, type Command } from "commander";
import { DefinitionLoader } from "../../definitions/load.ts";
import { skillPlaces } from "../../definitions/places.ts";
import { unrestrained } from "../../definitions/restrain.ts";
import { loadSkills } from "../../definitions/skills.ts";
import type { Diagnostic } from "../../contract/diagnostic.ts";
import { RetinueError } from "../../contract/errors.ts";
import { holdBack } from "../../settings/held-back.ts";
import { pathText } from "../../settings/layer.ts";
import { isObject } from "../../platform/is-object.ts";
import { loadSettings } from "../../settings/load-settings.ts";
import { defaultManagedDir } from "../../settings/scopes.ts";
import {
  distrustFolder,
  folderToTrust,
  trustedFolders,
  trustedThrough,
  trustFolder,
} from "../../settings/trust.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { mustBePerson } from "../find/caller.ts";
import { table } from "../terminal/columns.ts";
import { reportDiagnostics } from "../report-diagnostics.ts";
import { plain, plainLine } from "../terminal/sanitize.ts";
import { json } from "../options/shared-options.ts";

interface TrustOptions {
  dryRun?: boolean;
  revoke?: boolean;
  list?: boolean;
  json?: boolean;
}

export function addTrust(program: Command): void {
  program
    .command("trust")
    .description("trust the folder of this project, so that its own settings act")
    .argument("[folder]", "a directory of the project; the current one if none is named")
    .addOption(new Option("--revoke", "revoke the trust").conflicts("list"))
    .option("--list", "list the folders that are trusted")
    .option("--dry-run", "show what would become active, and change nothing")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Until a folder is trusted, .claude/settings.json and .claude/settings.local.json in it can only deny
and ask. This command shows their other settings and makes them active. Trust covers the repository
around the directory, or only the directory if there is no repository; repositories inside it stay
untrusted. Worktrees are trusted with their main checkout.`,
    )
    .action(trustCommand);
}

/** `retinue trust`: lists what would act in a folder, then trusts it; or withdraws trust, or lists the folders. */
async function trustCommand(folder: string | undefined, options: TrustOptions): Promise<void> {
  const configDir = defaultConfigDir();
  const directory = resolve(folder ?? ".");
  if (options.list === true) list(configDir, options);
  else if (options.revoke === true) await revoke(directory, configDir, options);
  else await trust(directory, configDir, options);
}

async function trust(directory: string, configDir: string, options: TrustOptions): Promise<void> {
  if (options.dryRun !== true) await mustBePerson("trust a folder");
  const folder = folderToTrust(directory);
  const { activates, diagnostics } = await whatTrustActivates(folder, configDir);
  if (options.json !== true) process.stdout.write(preview(folder, activates));
  reportDiagnostics(diagnostics);
  const unread = diagnostics.find(({ code }) => code === "unreadable");
  if (unread !== undefined && options.dryRun !== true) {
    const message = `${unread.file} cannot be read, so its effect is unknown. Correct it, then trust the folder.`;
    throw new RetinueError("invalid_request", message);
  }
  if (options.dryRun === true) {
    if (options.json === true)
      process.stdout.write(`${JSON.stringify({ folder, activates }, null, 2)}\n`);
    return;
  }
  const trustedBefore = trustedThrough(folder, configDir) !== undefined;
  await trustFolder(folder, configDir);
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ folder, trustedBefore, activates }, null, 2)}\n`
      : `${plain(folder)} is ${trustedBefore ? "still" : "now"} trusted. 'retinue trust --revoke' takes it back.\n`,
  );
}

interface Activated {
  /** The path relative to the folder. */
  file: string;
  key: string;
  /** The number of hooks, values or rules; `null` where there is one value. */
  count: number | null;
}

/** Everything that trust would activate in a folder: settings beyond deny and ask, agents' fields, skills, git. */
async function whatTrustActivates(
  folder: string,
  configDir: string,
): Promise<{ activates: Activated[]; diagnostics: Diagnostic[] }> {
  const { files, diagnostics } = loadSettings({ cwd: folder, configDir, trusted: true });
  const untrusted = { trusted: false, managedRulesOnly: false };
  const activates = files.flatMap((layer) =>
    holdBack(layer, untrusted).heldBack.map(({ path, value }) => ({
      file: relative(folder, layer.file),
      key: pathText(path),
      count: countOf(pathText(path), value),
    })),
  );
  return {
    activates: [
      ...activates,
      ...(await heldBackInAgents(folder)),
      ...(await linkedSkills(folder, configDir)),
      ...unaskedGit(folder),
    ],
    diagnostics,
  };
}

/** Hooks, servers, memories and permission modes of the folder's agents. */
async function heldBackInAgents(folder: string): Promise<Activated[]> {
  const places = agentDirectories(folder).map((path) => ({
    source: "project" as const,
    path,
    trusted: false,
    within: folder,
  }));
  const loader = new DefinitionLoader({ places, lenient: false, restraints: unrestrained });
  const { diagnostics } = await loader.load();
  return diagnostics.flatMap(({ code, file, field, message }) => {
    const waits = code === "inert" && message.endsWith("run 'retinue trust'.");
    const key = waits ? (field ?? "") : /leads out of/.test(message) ? "a link" : null;
    return key === null ? [] : [{ file: relative(folder, file), key, count: null }];
  });
}

/** Skills that are links out of the folder. */
async function linkedSkills(folder: string, configDir: string): Promise<Activated[]> {
  const places = skillPlaces({
    cwd: folder,
    configDir,
    managedDir: defaultManagedDir(),
    trusted: false,
    plugins: [],
  }).filter(({ source }) => source === "project");
  const { diagnostics } = await loadSkills(places);
  return diagnostics
    .filter(({ severity, message }) => severity === "error" && /link out of/.test(message))
    .map(({ file }) => ({ file: relative(folder, file), key: "a link", count: null }));
}

/** Git runs programs that a repository configures, so its commands ask in a folder without trust. */
function unaskedGit(folder: string): Activated[] {
  return existsSync(join(folder, ".git")) ? [{ file: ".git", key: "git", count: null }] : [];
}

const mostFolders = 5000;

/** `.claude/agents` of the folder and of every folder inside it that belongs to the same project. */
function agentDirectories(folder: string): string[] {
  const found: string[] = [];
  const open = [folder];
  for (let seen = 0; open.length > 0 && seen < mostFolders; seen += 1) {
    const at = open.shift() ?? "";
    if (at !== folder && existsSync(join(at, ".git"))) continue;
    if (existsSync(join(at, ".claude", "agents"))) found.push(join(at, ".claude", "agents"));
    open.push(...foldersIn(at));
  }
  return found;
}

function foldersIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && !/^(?:\.git|\.claude|node_modules)$/.test(entry.name),
      )
      .map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}

function countOf(key: string, value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  if (!isObject(value)) return null;
  if (key !== "hooks") return Object.keys(value).length;
  // Event → matchers → hooks.
  return Object.values(value)
    .flat()
    .reduce((sum: number, matcher) => {
      const hooks = isObject(matcher) ? matcher["hooks"] : undefined;
      return sum + (Array.isArray(hooks) ? hooks.length : 1);
    }, 0);
}

const countedNames: ReadonlyMap<string, [one: string, many: string]> = new Map([
  ["hooks", ["hook", "hooks"]],
  ["env", ["value", "values"]],
  ["permissions.allow", ["rule", "rules"]],
]);

/** Effects of things that are no settings. */
const effects: ReadonlyMap<string, string> = new Map([
  ["git", "commands that only look, such as git status, run unasked"],
]);

function preview(folder: string, activates: readonly Activated[]): string {
  if (activates.length === 0) return `Nothing in ${plain(folder)} needs trust.\n`;
  const rows = activates.map(({ file, key, count }) => {
    const [one, many] = countedNames.get(key) ?? ["entry", "entries"];
    const amount =
      count === null ? (effects.get(key) ?? "") : `${count} ${count === 1 ? one : many}`;
    return [`  ${plainLine(file)}`, plainLine(key), amount];
  });
  return `What this makes active in ${plain(folder)}:\n${table(rows)}`;
}

async function revoke(directory: string, configDir: string, options: TrustOptions): Promise<void> {
  await mustBePerson("revoke trust in a folder");
  const folder = distrustFolder(directory, configDir);
  // A directory that is gone belongs to no project.
  const main = existsSync(directory) ? trustedThrough(directory, configDir) : undefined;
  if (main !== undefined) {
    throw new RetinueError(
      "invalid_request",
      `${directory} is trusted because it belongs to ${main}. 'retinue trust --revoke ${main}' takes that back.`,
    );
  }
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify({ folder: folder ?? null, revoked: folder !== undefined }, null, 2)}\n`
      : `${plain(folder ?? directory)} ${folder === undefined ? "was not trusted" : "is not trusted any more"}.\n`,
  );
}

function list(configDir: string, options: TrustOptions): void {
  const folders = trustedFolders(configDir);
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(folders, null, 2)}\n`);
  } else if (folders.length === 0) {
    process.stderr.write("No folder is trusted. 'retinue trust' trusts the one you are in.\n");
  } else {
    const rows = folders.map(({ folder, trustedAt }) => [plainLine(trustedAt), plainLine(folder)]);
    process.stdout.write(table([["SINCE", "FOLDER"], ...rows]));
  }
}
