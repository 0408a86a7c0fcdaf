import type { Groups } from "./pattern.ts";
import type { Situation } from "./situation.ts";
import type { Value } from "./template-filters.ts";
import { applyFilter, filterProblem, Missing, textOfValue } from "./template-filters.ts";
import type { Expression } from "./template-syntax.ts";
import { parseTemplate, TemplateError } from "./template-syntax.ts";

/**
 * `{{ path | filter "argument" }}` in the strings of a scripted reply. Nothing becomes an empty string by accident: a
 * missing value is an error, unless the filter `default` replaces it.
 */
export interface TemplateScope extends Situation {
  /** Groups of the turn's `last`. */
  match: Groups;
  /** Groups of the turn's `task`. */
  task: Groups;
}

/** Fills the templates in every string inside `value`. Throws a `TemplateError`. */
export function renderValue(value: unknown, scope: TemplateScope): unknown {
  if (typeof value === "string") return renderString(value, scope);
  if (Array.isArray(value)) return value.map((item) => renderValue(item, scope));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, renderValue(item, scope)]),
  );
}

export function renderText(text: string, scope: TemplateScope): string {
  return textOfValue(renderString(text, scope));
}

export interface TemplateProblem {
  /** Path inside the checked value. */
  path: (string | number)[];
  message: string;
}

/** Problems that can be found before anything runs. `groups`: the number of groups of `match` and `task`. */
export function templateProblems(
  value: unknown,
  groups?: { match: number; task: number },
): TemplateProblem[] {
  if (typeof value === "string") {
    return stringProblems(value, groups).map((message) => ({ path: [], message }));
  }
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, item]) =>
    templateProblems(item, groups).map(({ path, message }) => ({ path: [key, ...path], message })),
  );
}

function stringProblems(text: string, groups?: { match: number; task: number }): string[] {
  try {
    return parseTemplate(text).flatMap((piece) => {
      if (typeof piece === "string") return [];
      const problems = [pathProblem(piece, groups), ...piece.filters.map(filterProblem)];
      return problems.flatMap((problem) => (problem ? [`${piece.source}: ${problem}`] : []));
    });
  } catch (error) {
    if (error instanceof TemplateError) return [error.message];
    throw error;
  }
}

/** Renders a string. A string that is a single template keeps the type of its value. */
function renderString(text: string, scope: TemplateScope): Value {
  const pieces = parseTemplate(text);
  const [only] = pieces;
  if (pieces.length === 1 && only !== undefined && typeof only !== "string") {
    return evaluate(only, scope);
  }
  return pieces
    .map((piece) => (typeof piece === "string" ? piece : textOfValue(evaluate(piece, scope))))
    .join("");
}

function evaluate(expression: Expression, scope: TemplateScope): Value {
  let value = expression.literal ?? lookUp(expression.path, scope);
  for (const filter of expression.filters) value = applyFilter(filter, value);
  if (!(value instanceof Missing)) return value;
  throw new TemplateError(
    `${expression.source}: ${value.reason}. Make the turn wait for it with "last", or end the template with | default "…"`,
  );
}

const knownPaths =
  /^(?:prompt|last|system|result\.[^.].*?(?:\.[1-9]\d*)?|results\.[1-9]\d*|(?:match|task)\.\d+)$/;

function pathProblem(
  { path, literal }: Expression,
  groups?: { match: number; task: number },
): string | undefined {
  if (literal !== undefined) return undefined;
  if (!knownPaths.test(path)) {
    return `unknown path "${path}"; write prompt, last, system, result.<Tool>, result.<Tool>.<n>, results.<n>, match.<n> or task.<n> (n counts from 1), or {{ "{{" }} for two braces`;
  }
  const [root, index] = path.split(".");
  if (groups === undefined || (root !== "match" && root !== "task")) return undefined;
  if (Number(index) <= groups[root]) return undefined;
  return `the turn's "${root === "match" ? "last" : "task"}" has ${groups[root]} groups; add one in parentheses`;
}

function lookUp(path: string, scope: TemplateScope): Value | Missing {
  if (path === "prompt" || path === "last" || path === "system") return scope[path];
  const [root, ...rest] = path.split(".");
  const position = Number(rest.at(-1));
  switch (root) {
    case "match":
    case "task":
      return scope[root][position] ?? new Missing(`group ${position} did not match`);
    case "results":
      return (
        scope.lastResults[position - 1] ??
        new Missing(`the last message has ${scope.lastResults.length} tool results`)
      );
    case "result": {
      const numbered = rest.length > 1 && Number.isInteger(position);
      const tool = (numbered ? rest.slice(0, -1) : rest).join(".");
      const texts = scope.results.filter((result) => result.tool === tool);
      const found = texts.at(numbered ? position - 1 : -1);
      return found?.text ?? new Missing(`this agent has ${texts.length} results of ${tool}`);
    }
    default:
      return new Missing(`unknown path "${path}"`);
  }
}
