import { homedir } from "node:os";
import { join, matchesGlob, resolve } from "node:path";
import type { Forbidding } from "../resolved-agent.ts";
import { toolName, toolRegistry } from "../tools/registry.ts";

export function parseForbidding(rules: {
  deny: readonly string[];
  ask: readonly string[];
}): Forbidding[] {
  return (["deny", "ask"] as const).flatMap((kind) =>
    rules[kind].map((rule) => ({ rule, kind, ...partsOf(rule) })),
  );
}

/** Read rather too strictly: in any case of letters, and a bracket that is not closed is about the whole tool. */
export function partsOf(rule: string): Pick<Forbidding, "tool" | "specifier"> {
  const [, named = "", inner] = /^([^(]*)(?:\((.*)\))?/s.exec(rule.trim()) ?? [];
  const specifier = inner === undefined || inner === "*" ? null : inner;
  const name = toolName(named);
  const meant = toolRegistry.keys().find((tool) => tool.toLowerCase() === name.toLowerCase());
  return { tool: meant ?? name, specifier };
}

/** A rule for the key also covers these. */
export const covers: Readonly<Record<string, readonly string[]>> = {
  Edit: ["Write", "NotebookEdit"],
  Read: ["Glob", "Grep"],
};

/**
 * Whether a rule may be about a call. Paths are compared; every other specifier is taken to fit: this version cannot
 * tell, and a rule that somebody wrote to be safe must not be passed over. Types of agents are the catalog's business.
 */
export function isForbidden(
  { tool, specifier }: Forbidding,
  call: { tool: string; paths: readonly { given: string; real: string }[] },
  roots: readonly string[],
): boolean {
  if (call.tool !== tool && !(covers[tool] ?? []).includes(call.tool)) return false;
  if (specifier === null) return true;
  if (tool === "Agent") return false;
  if (tool !== "Read" && tool !== "Edit") return true;
  const patterns = roots.flatMap((root) => absolutePatterns(specifier, root));
  return call.paths.some(({ given, real }) =>
    [given, real].some((path) => patterns.some((pattern) => matchesGlob(path, pattern))),
  );
}

/** What searches leave out below the directory that they are about, as ripgrep's globs: rather too much than too little. */
export function unsearchable(rules: readonly Forbidding[]): string[] {
  return rules.flatMap(({ tool, specifier }) => {
    if (tool !== "Read" || specifier === null) return [];
    const tail = specifier.replace(/^(?:~|\.)?\/+/, "");
    return [`!**/${tail}`, `!**/${tail}/**`];
  });
}

/** `//x` absolute, `~/x` in the home directory, everything else below the root; without a slash at any depth. */
function absolutePatterns(specifier: string, root: string): string[] {
  const base = specifier.startsWith("//")
    ? specifier.slice(1)
    : specifier.startsWith("~/")
      ? join(homedir(), specifier.slice(2))
      : resolve(root, specifier.replace(/^\/+/, ""));
  const anywhere = /^(?:\.\/)?[^/]+\/?$/.test(specifier)
    ? [join(root, "**", specifier.replace(/^\.\//, ""))]
    : [];
  return [base, ...anywhere].flatMap((pattern) => [pattern, `${pattern}/**`]);
}
