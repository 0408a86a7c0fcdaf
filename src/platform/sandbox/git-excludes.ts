import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { isInside } from "../is-inside.ts";
import { placeholders } from "./protected-paths.ts";

/**
 * Where a protected path does not exist the sandbox puts a device in its place, and `git add -A` fails on devices. So git is
 * told to pass over them, besides what the user's own list of excludes says. Nothing outside a repository.
 */
export async function gitExcludes(of: {
  root: string;
  /** What may not be written besides, absolute. */
  denied: readonly string[];
  /** Where the list goes. */
  file: string;
}): Promise<Record<string, string>> {
  const { root, file } = of;
  const top = repositoryAround(root);
  if (top === undefined) return {};
  // The library protects some names where this process stands, too.
  const places = [root, process.cwd()].flatMap((place) =>
    placeholders.map((name) => join(place, name)),
  );
  const lines = [...places, ...of.denied]
    .filter((path) => isInside(top, path))
    .map((path) => `/${relative(top, path).replaceAll(/[\\*?[\]]/g, String.raw`\$&`)}`);
  await writeFile(file, `${await usersExcludes(root)}\n${[...new Set(lines)].join("\n")}\n`);
  const count = Number(process.env["GIT_CONFIG_COUNT"] ?? "0") || 0;
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: "core.excludesFile",
    [`GIT_CONFIG_VALUE_${count}`]: file,
  };
}

function repositoryAround(directory: string): string | undefined {
  if (existsSync(join(directory, ".git"))) return directory;
  const parent = dirname(directory);
  return parent === directory ? undefined : repositoryAround(parent);
}

async function usersExcludes(root: string): Promise<string> {
  const { XDG_CONFIG_HOME = join(homedir(), ".config") } = process.env;
  const file = await promisify(execFile)("git", ["config", "--path", "core.excludesFile"], {
    cwd: root,
  }).then(
    ({ stdout }) => stdout.replace(/\n$/, ""),
    () => join(XDG_CONFIG_HOME, "git", "ignore"),
  );
  return readFile(file, "utf8").catch(() => "");
}
