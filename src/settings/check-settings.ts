import type { z } from "zod";
import { pathText, type Values } from "./layer.ts";
import type { KeyPath } from "../platform/plain-values.ts";
import { isObject } from "../platform/is-object.ts";
import { settingsSchema, type Settings } from "./settings.ts";
import { inOurWords } from "../contract/wording.ts";

export interface BadValue {
  readonly path: KeyPath;
  /** The expected value. */
  readonly message: string;
}

/**
 * Removes invalid parts: an item of a list, a key of an object one level down, or a key; never more. Each file is
 * checked before the merge, so that a bad rule here cannot take the good ones of a policy with it.
 */
export function checkSettings(given: Values): {
  /** The valid part, as written. */
  values: Values;
  /** The same with every default. */
  settings: Settings;
  bad: BadValue[];
} {
  const bad: BadValue[] = [];
  let values = given;
  // The rest after a cut may lack a required part: then more of it goes, at last the whole key.
  for (let round = 1; ; round += 1) {
    const parsed = settingsSchema.safeParse(values, inOurWords);
    if (parsed.success) return { values, settings: parsed.data, bad };
    const cuts = new Set<string>();
    for (const issue of parsed.error.issues.flatMap(innermost)) {
      const path = round < 3 ? placeToCut(values, issue.path) : issue.path.slice(0, 1);
      const text = JSON.stringify(path);
      if (cuts.has(text)) continue;
      cuts.add(text);
      bad.push({
        path,
        message: `'${pathText(path)}' is not valid and is ignored: ${issue.message}.`,
      });
    }
    values = without(values, [], cuts) as Values;
  }
}

interface Issue {
  readonly path: KeyPath;
  readonly message: string;
}

/** The issues of the intended kind in a choice between kinds: the one with issues inside. */
function innermost(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const meant = issue.errors.find((issues) => issues.some(({ path }) => path.length > 0));
  if (meant !== undefined)
    return meant.map(({ path, message }) => ({ path: [...issue.path, ...path], message }));
  return [issue];
}

function placeToCut(values: Values, [key, inner, item]: KeyPath): KeyPath {
  if (key === undefined) return [];
  const value = values[String(key)];
  if (inner === undefined || !has(value, inner)) return [key];
  const part = isObject(value) ? value[String(inner)] : undefined;
  return item !== undefined && Array.isArray(part) ? [key, inner, item] : [key, inner];
}

function has(value: unknown, key: PropertyKey): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key);
}

const deepestCut = 3;

function without(value: unknown, path: KeyPath, cuts: ReadonlySet<string>): unknown {
  if (path.length === deepestCut) return value;
  const stays = (key: string | number): boolean => !cuts.has(JSON.stringify([...path, key]));
  if (Array.isArray(value)) return value.filter((_, index) => stays(index));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => stays(key))
      .map(([key, inner]) => [key, without(inner, [...path, key], cuts)]),
  );
}
