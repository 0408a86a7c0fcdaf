import { dirname, resolve } from "node:path";
import { z } from "zod";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import { isObject } from "../../platform/is-object.ts";
import { isTooDeep } from "../../platform/plain-values.ts";
import { readSmallFile } from "../../platform/files/read-small-file.ts";
import type { SourcedRule } from "../../contract/resolved-agent.ts";
import { permissionCaseSchema, type PermissionCase } from "./permission-case.ts";
import { rulesOfFile } from "./rules-of-file.ts";
import { problemsIn, wording } from "../../contract/wording.ts";

/** The cases of one file. */
export interface CaseFile {
  readonly file: string;
  readonly cases: readonly PermissionCase[];
  /** Rules of the settings file that the cases test, if they name one. */
  readonly rules: readonly SourcedRule[];
}

const largestFile = 16 * 1024 * 1024;
const deepestNesting = 64;

const wholeSchema = z.strictObject({
  /** A settings file whose rules apply in every case; relative to the file of the cases. */
  settings: z.string().min(1).optional(),
  cases: z.array(z.unknown()),
});

/**
 * Reads a list of cases, or an object that names a settings file beside it. Throws `invalid_config` naming the case and
 * the field.
 */
export function readCases(file: string): CaseFile {
  const parsed = parseJson(file);
  if (isTooDeep(parsed, deepestNesting))
    throw bad(file, `is nested deeper than ${deepestNesting} levels. Flatten it`);
  const whole = wholeSchema.safeParse(Array.isArray(parsed) ? { cases: parsed } : parsed, {
    error: wording,
  });
  if (!whole.success)
    throw bad(file, `${problemsIn(whole.error)}. Write a list of cases, or {"cases": […]}`);
  const cases = whole.data.cases.map((one, index) => checkCase(one, index, file));
  const seen = new Set<string>();
  for (const { id } of cases) {
    if (seen.has(id)) throw bad(file, `two cases have the id '${id}'. Give each its own`);
    seen.add(id);
  }
  const { settings } = whole.data;
  const rules = settings === undefined ? [] : rulesOfFile(resolve(dirname(file), settings));
  return { file, cases, rules };
}

function parseJson(file: string): unknown {
  const read = readSmallFile(file, largestFile);
  if (read.kind === "missing") throw bad(file, "there is no such file. Name a file with cases");
  if (read.kind === "refused") throw bad(file, `${read.reason}. Name a JSON file with cases`);
  try {
    return JSON.parse(read.text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw bad(file, `this is not valid JSON (${errorMessage(error)}). Correct it`);
  }
}

function checkCase(given: unknown, index: number, file: string): PermissionCase {
  const parsed = permissionCaseSchema.safeParse(given, { error: wording });
  if (parsed.success) return parsed.data;
  const id = isObject(given) && typeof given["id"] === "string" ? ` '${given["id"]}'` : "";
  throw bad(file, `case ${index + 1}${id}: ${problemsIn(parsed.error)}. Correct it`);
}

function bad(file: string, problem: string): RetinueError {
  return new RetinueError("invalid_config", `${file}: ${problem}.`);
}
