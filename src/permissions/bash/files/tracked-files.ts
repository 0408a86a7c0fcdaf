import { join } from "node:path";
import type { Ground } from "../../ground.ts";
import type { PathPair } from "../../policy.ts";
import { isInTable } from "../look/programs.ts";
import type { BashView } from "../view.ts";
import { gitCommand } from "../git/git-command.ts";
import { lookingCommands } from "../git/git-facts.ts";
import { isTalker } from "./mentioned-files.ts";

/** A decision looks at no more paths than that. */
const mostPaths = 10_000;

/** The files that git tracks where a command runs; `null`: that cannot be told, or they are too many. */
export function trackedFiles(ground: Pick<Ground, "tracked">): readonly PathPair[] | null {
  const tracked = ground.tracked();
  if (tracked === null || tracked.paths.length > mostPaths) return null;
  // Git reads no file behind a link.
  return tracked.paths.map((path) => {
    const whole = join(tracked.root, path);
    return { given: whole, real: whole };
  });
}

/** Whether nothing in a line changes what git tracks, or where it looks. */
export function onlyShows({ read, reach, makesLinks, touched }: BashView): boolean {
  if (!read.readable || makesLinks || reach.unknown.length > 0) return false;
  if (touched.some(({ effect }) => effect === "write")) return false;
  return reach.runs.every(({ command: { words, assignments } }) => {
    const name = words[0]?.text ?? "";
    if (assignments.length > 0) return false;
    if (name !== "git") return isInTable(name) || isTalker(name);
    const command = gitCommand(words.slice(1));
    return command !== null && lookingCommands.has(command.name);
  });
}
