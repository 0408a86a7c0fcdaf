import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { RetinueError, errorMessage } from "../contract/errors.ts";
import { writeFileAtomic } from "../platform/files/atomic-write.ts";
import { withFileLock } from "../platform/files/file-lock.ts";
import { isInside } from "../platform/files/is-inside.ts";
import { isObject } from "../platform/is-object.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { realPath } from "../platform/files/real-path.ts";
import { scanJson } from "../platform/scan-json.ts";
import { projectFolder } from "../settings/project-folder.ts";
import { defaultManagedDir, settingsFiles } from "../settings/scopes.ts";
import { isTrusted } from "../settings/trust.ts";
import type { RuleFile } from "./request.ts";

const largestFile = 1024 * 1024;

/**
 * Adds rules to `permissions.allow` of a settings file and returns its path. Everything else in the file stays, and two
 * concurrent writers lose nothing. An unreadable file, or one whose rules would not act, is left unchanged and throws.
 */
export async function allowInSettings(
  rules: readonly string[],
  options: { scope: RuleFile; cwd: string; configDir: string },
): Promise<string> {
  const file = settingsFile(options);
  await withFileLock({ file, lockDir: join(options.configDir, "retinue", "locks") }, async () => {
    for (let attempt = 1; ; attempt += 1) {
      const before = readText(file);
      const after = withRules(before, rules, file);
      if (after === before) return;
      // Programs that ignore the lock write here too.
      if (readText(file) === before) return await write(file, after);
      if (attempt === 5)
        throw unusable(file, "another program keeps changing it", "Try again when it is done");
    }
  });
  return file;
}

function settingsFile(options: { scope: RuleFile; cwd: string; configDir: string }): string {
  const { scope, cwd, configDir } = options;
  const files = settingsFiles({ cwd, configDir, managedDir: defaultManagedDir() });
  const file = files.find((one) => one.scope === scope)?.file ?? join(configDir, "settings.json");
  if (scope === "user") return file;
  const folder = projectFolder(cwd);
  if (!isInside(folder, realPath(file)))
    throw unusable(
      file,
      "it is a link that leads out of the project",
      "Choose the user's settings",
    );
  if (!isTrusted(cwd, configDir))
    throw unusable(
      file,
      "this folder is not trusted, so a rule in it would not act",
      "Run 'retinue trust' first, or choose the user's settings",
    );
  return file;
}

/** The text of a file; empty if there is none. */
function readText(file: string): string {
  const read = readSmallFile(file, largestFile);
  if (read.kind === "refused") throw unusable(file, read.reason, "Correct it");
  return read.kind === "missing" ? "" : read.text;
}

/** The text with the rules at the end of its list; unchanged if they are all there. */
function withRules(text: string, rules: readonly string[], file: string): string {
  const values = parse(text, file);
  const permissions = values["permissions"] ?? {};
  const allow = isObject(permissions) ? (permissions["allow"] ?? []) : undefined;
  if (!isObject(permissions) || !Array.isArray(allow))
    throw unusable(file, "its permissions.allow is not a list", "Correct it");
  const missing = [...new Set(rules)].filter((rule) => !allow.includes(rule));
  if (missing.length === 0) return text;
  const wanted = { ...values, permissions: { ...permissions, allow: [...allow, ...missing] } };
  const inserted = insertAfterLast(text, allow.length, missing);
  if (inserted !== undefined && isDeepStrictEqual(parsed(inserted), wanted)) return inserted;
  return `${JSON.stringify(wanted, null, 2)}\n`;
}

/** Keeps the rest of the text byte for byte; only where the list already has an item to copy the layout from. */
function insertAfterLast(
  text: string,
  count: number,
  rules: readonly string[],
): string | undefined {
  const { offsets } = scanJson(text);
  const at = (index: number): number =>
    offsets.get(JSON.stringify(["permissions", "allow", index])) ?? -1;
  const [first, last] = [at(0), at(count - 1)];
  const end =
    last < 0 ? undefined : last + (/^"(?:[^"\\]|\\.)*"/.exec(text.slice(last))?.[0].length ?? 0);
  if (end === undefined || end === last) return undefined;
  const gap = count > 1 ? " " : "";
  const before = /\s*$/.exec(text.slice(0, first))?.[0] ?? "";
  const blank = before === "" ? gap : before;
  const addition = rules.map((rule) => `,${blank}${JSON.stringify(rule)}`).join("");
  return text.slice(0, end) + addition + text.slice(end);
}

function parse(text: string, file: string): Record<string, unknown> {
  if (text.replace(/^\uFEFF/, "").trim() === "") return {};
  const values = parsed(text);
  if (isObject(values)) return values;
  throw unusable(file, "it is not a valid JSON object", "Correct it");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFileAtomic(file, text);
  } catch (error) {
    throw unusable(file, `it cannot be written (${errorMessage(error)})`, "Make it writable");
  }
}

function unusable(file: string, why: string, remedy: string): RetinueError {
  return new RetinueError("invalid_config", `No rule was added to ${file}: ${why}. ${remedy}.`);
}
