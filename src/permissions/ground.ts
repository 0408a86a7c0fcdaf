import { readdirSync } from "node:fs";
import { realPath } from "../platform/real-path.ts";
import { userHome } from "../platform/user-home.ts";

/** What a decision has to know of the disk. Nothing is changed through it. */
export interface Ground {
  /** Where the call runs. */
  readonly cwd: string;
  /** What `~` in a rule stands for. */
  readonly home: string;
  /** What `~` in a command stands for: its environment may say something else. */
  readonly shellHome: string;
  /** A path after resolving every link. */
  realPath(path: string): string;
  /** The names in a directory; none where it cannot be read. */
  list(directory: string): readonly string[];
}

export function realGround(cwd: string, home = userHome(), shellHome = home): Ground {
  return { cwd, home, shellHome, realPath, list: namesIn };
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
