/** Values of the variables in a plugin's files; a variable without a value stays as written. */
export interface PluginVariables {
  readonly CLAUDE_PLUGIN_ROOT?: string;
  readonly CLAUDE_PLUGIN_DATA?: string;
  readonly CLAUDE_PROJECT_DIR?: string;
}

const deepest = 100;

/**
 * Substitutes the variables in every text of a data structure, except keys. Substituted text is not parsed again. Data
 * below a hundred levels, which no manifest reaches, is unchanged.
 */
export function substitute<Value>(value: Value, variables: PluginVariables): Value {
  return deep(value, variables, 0) as Value;
}

function deep(value: unknown, variables: PluginVariables, depth: number): unknown {
  if (typeof value === "string") return inText(value, variables);
  if (typeof value !== "object" || value === null || depth >= deepest) return value;
  if (Array.isArray(value)) return value.map((item) => deep(item, variables, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, deep(item, variables, depth + 1)]),
  );
}

function inText(text: string, variables: PluginVariables): string {
  return text.replaceAll(
    /\$\{(CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA|CLAUDE_PROJECT_DIR)\}/g,
    (written, name: keyof PluginVariables) => variables[name] ?? written,
  );
}
