import type { Settings } from "../settings/settings.ts";
import { firstOf } from "./precedence.ts";

/** Decides the model of an agent, and names the source: environment > call > definition > parent > default. */
export function resolveModel(options: {
  environment: string | undefined;
  call: string | undefined;
  definition: string | undefined;
  parent: string | undefined;
  settings: Settings;
}): { model: string; from: string } {
  const { settings } = options;
  const decided = firstOf([
    ["CLAUDE_CODE_SUBAGENT_MODEL", stated(options.environment)],
    ["call", stated(options.call)],
    ["definition", stated(options.definition)],
    ["parent", options.parent],
  ]) ?? { value: settings.model, from: "default" };
  return { model: expandAlias(decided.value, settings), from: decided.from };
}

/** The stated model. `inherit` states nothing: the next source decides. */
function stated(model: string | undefined): string | undefined {
  return model === undefined || model === "" || model.toLowerCase() === "inherit"
    ? undefined
    : model;
}

/** Limits by model id. Keys may be aliases; the lower of two limits for one model applies. */
export function byModelId(
  limits: Readonly<Record<string, number>>,
  settings: Settings,
): Record<string, number> {
  const byId = new Map<string, number>();
  for (const [name, limit] of Object.entries(limits)) {
    const id = expandAlias(name, settings);
    byId.set(id, Math.min(limit, byId.get(id) ?? limit));
  }
  return Object.fromEntries(byId);
}

function expandAlias(model: string, settings: Settings): string {
  const alias = model.toLowerCase();
  return Object.hasOwn(settings.modelAliases, alias)
    ? (settings.modelAliases[alias] ?? model)
    : model;
}
