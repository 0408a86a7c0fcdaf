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
 * Where a protected path does not exist the sandbox puts a device in its place, and `git add -A` fails on devices. So git is
 * told to pass over them, besides what the user's own list of excludes says. Nothing outside a repository.
 *
 * That list is looked for and read inside the sandbox: the repository's configuration can name any file, and whoever read it
 * out here would hand the command what it may not read, or hang on a pipe.
 */
export function gitExcludes(of: {
  root: string;
  /** Further paths that may not be written, absolute. */
  denied: readonly string[];
  /** Where the list goes; the sandbox can write there. */
  file: string;
  /** The environment that the command would have without this. */
  env: Readonly<Record<string, string | undefined>>;
}): GitExcludes | undefined {
  const { root, file } = of;
  const top = repositoryAround(root);
  if (top === undefined) return undefined;
  // The library protects some names where this process stands, too.
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

/** Ours come last, because in such a list the last word counts. */
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
