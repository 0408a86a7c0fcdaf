import { lstatSync, realpathSync } from "node:fs";
import { join, win32 } from "node:path";
import { isInside } from "../platform/files/is-inside.ts";
import { realPath } from "../platform/files/real-path.ts";
import { shown, type PluginProblem } from "./diagnose.ts";

export type PathInside =
  /** Real path, without links. */
  { kind: "inside"; path: string } | { kind: "refused"; problem: PluginProblem };

/** The target of a path that a plugin wrote, if it is inside the root, which is a real path. Never throws. */
export function pathInside(root: string, written: string): PathInside {
  const wrong = pathProblem(written);
  if (wrong !== null) return refused("invalid", wrong);
  const path = realOrNone(join(root, written));
  if (path !== undefined && isInside(root, path)) return { kind: "inside", path };
  // A dangling link that points outside is refused like one that resolves there.
  if (path !== undefined || !isInside(root, realPath(join(root, written)))) {
    const message = `${shown(written)} is a link out of ${shown(root)} and is left out. Copy what it points to.`;
    return refused("invalid", message);
  }
  return refused("missing", `${shown(written)} does not exist. Correct the path or remove it.`);
}

/** The reason why a path is refused before it is resolved. */
export function pathProblem(written: string): string | null {
  if (written === "") return "A path is empty. Write it as './…'.";
  if (/[\u0000-\u001f\u007f-\u009f]/.test(written))
    return "A path has control characters and is left out. Rename the file.";
  // The Windows parser knows the separators and drives of both platforms.
  if (win32.isAbsolute(written))
    return `${shown(written)} is absolute and is left out. Write it from the root of the plugin: './…'.`;
  if (written.split(/[\\/]/).includes(".."))
    return `${shown(written)} climbs with '..' and is left out. Write it from the root of the plugin: './…'.`;
  return null;
}

/** Whether a path exists, a dangling link included. */
export function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function realOrNone(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function refused(code: PluginProblem["code"], message: string): PathInside {
  return { kind: "refused", problem: { severity: "error", code, message } };
}
