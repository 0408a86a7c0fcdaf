import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isInside } from "../files/is-inside.ts";
import { shellQuote } from "../shell-quote.ts";
import { placeholders } from "./protected-paths.ts";

export interface GitExcludes {
  /** Lines that a shell inside the sandbox runs before the command. */
  readonly script: string;
  /** Variables that the command then finds in its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Makes git skip the devices that the sandbox puts in the place of missing protected paths: `git add -A` fails on
 * devices. The user's own list of excludes still applies. Does nothing outside a repository.
 *
 * That list is found and read inside the sandbox. The repository's configuration can name any file: reading it outside
 * would hand the command a file that it may not read, or hang on a pipe.
 */
export function gitExcludes(of: {
  root: string;
  /** Further paths that may not be written, absolute. */
  denied: readonly string[];
  /** Path of the list; the sandbox can write there. */
  file: string;
  /** The environment that the command would have without this. */
  env: Readonly<Record<string, string | undefined>>;
}): GitExcludes | undefined {
  const { root, file } = of;
  const top = repositoryAround(root);
  if (top === undefined) return undefined;
  // The library also protects some names in the working directory of this process.
  const places = [root, process.cwd()].flatMap((place) =>
    placeholders.map((name) => join(place, name)),
  );
  const lines = [...places, ...of.denied]
    .filter((path) => isInside(top, path))
    .map((path) => `/${relative(top, path).replaceAll(/[\\*?[\]]/g, String.raw`\$&`)}`);
  const count = Number(of.env["GIT_CONFIG_COUNT"] ?? "0") || 0;
  return {
    script: scriptThatLists({ top, file, lines: [...new Set(lines)] }),
    env: {
      GIT_CONFIG_COUNT: String(count + 1),
      [`GIT_CONFIG_KEY_${count}`]: "core.excludesFile",
      [`GIT_CONFIG_VALUE_${count}`]: file,
    },
  };
}

function repositoryAround(directory: string): string | undefined {
  if (existsSync(join(directory, ".git"))) return directory;
  const parent = dirname(directory);
  return parent === directory ? undefined : repositoryAround(parent);
}

/** Builds the script. Our lines come last, because the last match in such a list wins. */
function scriptThatLists(of: { top: string; file: string; lines: readonly string[] }): string {
  return [
    `( cd -- ${shellQuote(of.top)}`,
    "users=$(timeout 5 git config --path core.excludesFile) ||",
    '  users="${XDG_CONFIG_HOME:-$HOME/.config}/git/ignore"',
    '[ -f "$users" ] && timeout 5 head -c 1048576 -- "$users"',
    String.raw`printf '\n%s\n' ${shellQuote(of.lines.join("\n"))}`,
    `) </dev/null >${shellQuote(of.file)} 3>&- 4>&-`,
  ].join("\n");
}
