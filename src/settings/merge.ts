import type { Diagnostic } from "../contract/diagnostic.ts";
import {
  layerDiagnostics,
  type SettingsLayer,
  type SettingOrigin,
  type SettingProblem,
  type Values,
} from "./layer.ts";
import { isObject } from "../platform/is-object.ts";
import { emptyObject, plainValues } from "../platform/plain-values.ts";
import type { Provenance } from "./provenance.ts";
import { byScope } from "./scopes.ts";

export interface MergedSettings {
  /** Values without prototypes, at every level. */
  readonly values: Values;
  readonly provenance: Provenance;
  readonly diagnostics: Diagnostic[];
}

/**
 * Merges all scopes into one object; within a scope the first layer is the higher one. Scalars: the highest wins.
 * Objects merge key by key. Lists are joined, highest first, each item once. If layers disagree about the kind of a
 * value, the highest decides and the others are skipped.
 */
export function mergeSettings(layers: readonly SettingsLayer[]): MergedSettings {
  const diagnostics: Diagnostic[] = [];
  const voices = layers.toSorted(byScope).map((layer): LayerValue<Values> => {
    const problems: SettingProblem[] = [];
    const value = plainValues(layer.values, (path, message) =>
      problems.push({ severity: "error", code: "invalid", path, message }),
    );
    diagnostics.push(...layerDiagnostics(layer, problems));
    return { origin: { scope: layer.scope, file: layer.file }, value };
  });
  const { value, provenance } = mergeObjects(voices, wholeValues);
  return { values: value as Values, provenance, diagnostics };
}

interface LayerValue<Value> {
  readonly origin: SettingOrigin;
  readonly value: Value;
}

interface Merged {
  readonly value: unknown;
  readonly provenance: Provenance;
}

type Choice = (voices: readonly LayerValue<unknown>[]) => readonly LayerValue<unknown>[];

/** Keys whose values are not merged over all layers. */
const wholeValues: ReadonlyMap<string, Choice> = new Map([
  ["fallbackModel", (voices) => voices.slice(0, 1)],
  [
    "availableModels",
    (voices) => {
      const managed = voices.filter(({ origin }) => origin.scope === "managed");
      return managed.length > 0 ? managed : voices;
    },
  ],
]);

function mergeObjects(
  voices: readonly LayerValue<Values>[],
  choices: ReadonlyMap<string, Choice>,
): Merged {
  const byKey = new Map<string, LayerValue<unknown>[]>();
  for (const { origin, value } of voices) {
    for (const [key, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      const said = byKey.get(key) ?? [];
      said.push({ origin, value: inner });
      byKey.set(key, said);
    }
  }
  const values = emptyObject();
  const keys = new Map<string, Provenance>();
  for (const [key, said] of byKey) {
    const merged = mergeValue(choices.get(key)?.(said) ?? said);
    values[key] = merged.value;
    keys.set(key, merged.provenance);
  }
  return { value: values, provenance: { origin: voices[0]?.origin ?? nobody, keys } };
}

/** Origin of settings without any layer. */
const nobody: SettingOrigin = { scope: "user", file: "" };

/** Merges values, as deep as `plainValues` lets them be. */
function mergeValue(voices: readonly LayerValue<unknown>[]): Merged {
  const [highest] = voices;
  if (highest === undefined) return { value: undefined, provenance: { origin: nobody } };
  if (Array.isArray(highest.value))
    return mergeLists(
      voices.filter((voice): voice is LayerValue<unknown[]> => Array.isArray(voice.value)),
      highest.origin,
    );
  if (!isObject(highest.value))
    return { value: highest.value, provenance: { origin: highest.origin } };
  return mergeObjects(
    voices.filter((voice): voice is LayerValue<Values> => isObject(voice.value)),
    noChoices,
  );
}

const noChoices: ReadonlyMap<string, Choice> = new Map();

function mergeLists(
  voices: readonly LayerValue<readonly unknown[]>[],
  origin: SettingOrigin,
): Merged {
  const value: unknown[] = [];
  const items: SettingOrigin[] = [];
  const seen = new Set<string>();
  for (const voice of voices) {
    for (const item of voice.value) {
      const text = canonicalText(item);
      if (seen.has(text)) continue;
      seen.add(text);
      value.push(item);
      items.push(voice.origin);
    }
  }
  return { value, provenance: { origin, items } };
}

/** The text by which values are compared. Comparing each with each would let a long list delay the start. */
function canonicalText(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (!isObject(value)) return String(value);
  const fields = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(value[key])}`);
  return `{${fields.join(",")}}`;
}
