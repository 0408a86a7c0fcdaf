import { join, resolve } from "node:path";
import { RetinueError } from "../../contract/errors.ts";
import { toolRegistry } from "../registry.ts";
import type { Tool } from "../tool.ts";

/** Fields that hold a path or a pattern of paths. Only the first two may begin with `~`. */
const pathFields = ["file_path", "notebook_path", "path", "pattern"] as const;

/**
 * The files that a call names, absolute: for decisions about calls that no model has made. Throws `invalid_request`.
 */
export function pathsOfCall(
  name: string,
  input: Readonly<Record<string, unknown>>,
  where: { cwd: string; home: string; tool?: Tool | undefined },
): string[] {
  const { cwd, home, tool = toolRegistry.get(name) } = where;
  const paths = {
    file_path: below(home, input["file_path"]),
    notebook_path: below(home, input["notebook_path"]),
  };
  if (tool === undefined)
    return typeof paths.file_path === "string" ? [resolve(cwd, paths.file_path)] : [];
  for (const field of pathFields) {
    const problem = tool.input.shape[field]?.safeParse(input[field]).success === false;
    if (problem)
      throw new RetinueError(
        "invalid_request",
        `${name} needs a text in '${field}'. Write it into the input.`,
      );
  }
  return tool.kind === "leaf" ? (tool.paths?.({ ...input, ...paths }, cwd) ?? []) : [];
}

function below(home: string, path: unknown): unknown {
  return typeof path === "string" && /^~(?:\/|$)/.test(path) ? join(home, path.slice(1)) : path;
}
