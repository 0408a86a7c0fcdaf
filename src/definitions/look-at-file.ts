import { existsSync, lstatSync, realpathSync, statSync, type Stats } from "node:fs";
import { errorMessage, systemCode } from "../contract/errors.ts";
import { isInside } from "../platform/files/is-inside.ts";
import { realPath } from "../platform/files/real-path.ts";
import { largestDefinition } from "./definition-file.ts";
import type { DefinitionPlace } from "./places.ts";

export interface FileLook {
  /** Stamp of the contents: it differs after a change. */
  stamp: string;
  isLink: boolean;
  /** Reason why the file is not opened. */
  refusal: string | null;
}

/** The stamp of a link to nothing. */
export const leadsNowhere = "leads nowhere";

/** The facts about a file that need no opening; `null`: it is gone. */
export function lookAtFile(file: string, place: DefinitionPlace): FileLook | null {
  try {
    const link = lstatSync(file, { throwIfNoEntry: false });
    const info = link?.isSymbolicLink() === true ? statSync(file, { throwIfNoEntry: false }) : link;
    if (link === undefined) return null;
    if (info === undefined)
      return {
        stamp: leadsNowhere,
        isLink: true,
        refusal: "It is a link that leads nowhere. Correct or remove it.",
      };
    return {
      stamp: `${info.mtimeMs}:${info.ctimeMs}:${info.size}:${info.ino}`,
      isLink: link !== info,
      refusal: whyNotOpened(file, place, info),
    };
  } catch (error) {
    const remedy =
      systemCode(error) === "ELOOP"
        ? "The link leads to itself; remove it."
        : "Check its permissions.";
    const refusal = `The file cannot be read: ${errorMessage(error)}. ${remedy}`;
    return { stamp: refusal, isLink: true, refusal };
  }
}

function whyNotOpened(
  file: string,
  { within, source }: DefinitionPlace,
  info: Stats,
): string | null {
  if (!info.isFile()) return "It is not a regular file and is not read. Remove it.";
  if (info.size > largestDefinition)
    return `The file is larger than ${largestDefinition / 1024} KiB and is not read. Shorten it.`;
  if (within !== null && !isInside(realpathSync.native(within), realpathSync.native(file)))
    return `It leads out of ${within} through a link and is not followed. Copy the file${source === "project" ? ", or run 'retinue trust'" : ""}.`;
  return null;
}

/** Whether a place leads out of its folder. An untrusted folder must not make us walk the disk. */
export function leadsOut({ path, within }: DefinitionPlace): boolean {
  // Most places do not exist.
  if (within === null || !existsSync(path)) return false;
  return !isInside(realPath(within), realPath(path));
}

export function linkedOut({ within }: DefinitionPlace): string {
  return `It leads out of ${within} through a link and is not read. Copy the files, or run 'retinue trust'.`;
}
