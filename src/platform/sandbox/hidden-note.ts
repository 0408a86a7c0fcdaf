import { existsSync } from "node:fs";
import { absolutePath } from "../files/absolute-path.ts";
import { isInside } from "../files/is-inside.ts";
import { realPath } from "../files/real-path.ts";

/**
 * The note about files that a command names and the settings hide from it. A hidden file may look empty, so that a
 * command succeeds on it. Names are searched in the command and in its error messages.
 */
export function hiddenNote(of: {
  /** Absolute paths, as the settings or rules name them. */
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** Way for the user to show the files; default: by the settings. */
  readonly remedy?: string;
  readonly command: string;
  readonly cwd: string;
  readonly printed: () => string;
}): string[] {
  const hidden = of.denyRead.filter((path) => existsSync(path)).map(spelled);
  if (hidden.length === 0) return [];
  const complaints = of.printed().slice(-mostRead).split("\n").filter(isComplaint);
  const words = wordsOf([of.command.slice(0, mostRead), ...complaints].join("\n"));
  const shown = of.allowRead.map(spelled);
  const unread = words
    .map((word) => spelled(absolutePath(word, of.cwd)))
    .filter((path) => !shown.some((one) => isBelow(one, path)));
  const met = hidden.filter((path) => unread.some((one) => isBelow(path, one)));
  if (met.length === 0) return [];
  const names = met.slice(0, mostNamed).map(({ given }) => given);
  return [
    `[The sandbox hides ${names.join(", ")} from commands: it looks empty, missing or denied. ${of.remedy ?? bySettings}]`,
  ];
}

const bySettings =
  "The user can show it with sandbox.filesystem.allowRead, or change sandbox.filesystem.denyRead.";
const mostRead = 20_000;
const mostWords = 500;
const mostNamed = 10;

function isComplaint(line: string): boolean {
  return /No such file or directory|Permission denied|Operation not permitted/i.test(line);
}

/** The words of a text, each once; any of them may be a path. */
function wordsOf(text: string): string[] {
  const words = text.replaceAll(/\$\{?HOME\}?(?=\/|\s|$)/g, "~").split(/[\s\0'"`;|&<>()=,:]+/);
  return [...new Set(words)].filter((word) => word !== "").slice(0, mostWords);
}

interface Spelled {
  readonly given: string;
  readonly real: string;
}

function spelled(path: string): Spelled {
  return { given: path, real: realPath(path) };
}

function isBelow(directory: Spelled, path: Spelled): boolean {
  return isInside(directory.given, path.given) || isInside(directory.real, path.real);
}
