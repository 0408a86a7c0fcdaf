import { RetinueError } from "../../contract/errors.ts";
import { isObject } from "../../platform/is-object.ts";

/** The option `--agents`. Throws `invalid_config`. */
export function parseAgents(json: string | undefined): Record<string, Record<string, unknown>> {
  if (json === undefined) return {};
  const example = '{"reviewer": {"description": "Reviews code", "prompt": "You review code."}}';
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new RetinueError(
      "invalid_config",
      `--agents is not valid JSON (${String(error)}). Write for example '${example}'.`,
    );
  }
  if (!isObject(value) || !Object.values(value).every(isObject)) {
    throw new RetinueError(
      "invalid_config",
      `--agents must be an object of agent types. Write for example '${example}'.`,
    );
  }
  return value as Record<string, Record<string, unknown>>;
}
