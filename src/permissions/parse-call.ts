import { RetinueError } from "../contract/errors.ts";
import { isObject } from "../platform/is-object.ts";
import { closest } from "../platform/closest.ts";
import { shellQuote } from "../platform/shell-quote.ts";
import { knownTool, toolNames } from "../tools/known-tools.ts";
import { toolName } from "../tools/registry.ts";

/** A call as somebody writes it down. */
export interface WrittenCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** `Bash(git push)`, `Read({"file_path": "a"})` or `TodoWrite`. Throws `invalid_request`. */
export function parseCall(text: string): WrittenCall {
  const [, named, inner] = /^\s*([^()\s]+)\s*(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  if (named === undefined) {
    const command = isProgram(text.trim().split(/[\s(]/, 1)[0] ?? "") ? text.trim() : "git push";
    throw bad(
      `'${text}' is not a call. Write Tool(input), for example ${shellQuote(`Bash(${command})`)}.`,
    );
  }
  const tool = toolName(named);
  if (isProgram(tool) && parsed(inner ?? "") === undefined)
    throw bad(
      `There is no tool '${tool}'. A command is a call of Bash: ${shellQuote(`Bash(${[tool, inner ?? ""].join(" ").trim()})`)}.`,
    );
  if (inner === undefined || inner.trim() === "") return { tool, input: {} };
  const value = parsed(inner);
  if (value !== undefined) return { tool, input: value };
  const field = knownTool(tool).mainField;
  // A group of commands begins with a bracket too, but never with a quote right behind it.
  if (field !== undefined && !/^\s*\{\s*"/.test(inner)) return { tool, input: { [field]: inner } };
  const meant = toolNames().includes(tool) ? undefined : closest(tool, toolNames());
  if (meant !== undefined) throw bad(`There is no tool '${tool}'. Did you mean '${meant}'?`);
  throw bad(`The input of ${tool} is not a JSON object. Write ${tool}({"field": "value"}).`);
}

/** Tools begin with a capital letter, those of servers with `mcp__`; a slip of the pen is not a program. */
function isProgram(name: string): boolean {
  const isTool = toolNames().includes(name) || closest(name, toolNames()) !== undefined;
  return /^(?!mcp__)[a-z0-9_./~]/.test(name) && !isTool;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function bad(message: string): RetinueError {
  return new RetinueError("invalid_request", message);
}
