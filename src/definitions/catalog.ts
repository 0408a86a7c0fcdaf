import { RetinueError } from "../errors.ts";
import type { Settings } from "../settings/settings.ts";
import type { AgentDefinition, Entrypoint } from "./definition.ts";
import { sources } from "./sources.ts";

/** The agent types that can be spawned here and now: one definition per name, the one that wins. */
export class Catalog {
  readonly #winners: ReadonlyMap<string, AgentDefinition>;
  readonly #aliases: ReadonlyMap<string, AgentDefinition>;

  constructor(
    definitions: readonly AgentDefinition[],
    options: { settings: Settings; entrypoint: Entrypoint },
  ) {
    const offered = definitions.filter((definition) => isOffered(definition, options));
    const byPriority = offered.toSorted((a, b) => sources[b.source] - sources[a.source]);
    const winners = new Map<string, AgentDefinition>();
    for (const definition of byPriority) {
      if (!winners.has(definition.name)) winners.set(definition.name, definition);
    }
    this.#winners = winners;
    // Of two with one alias the winner's counts: a Map keeps the last, so the lowest goes first.
    this.#aliases = new Map(
      [...winners.values()]
        .toReversed()
        .flatMap((definition) =>
          (definition.aliases ?? []).map((alias) => [fold(alias), definition] as const),
        ),
    );
  }

  list(): AgentDefinition[] {
    return [...this.#winners.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** By exact name first, then without regard to case and separators, then by alias. */
  find(type: string): AgentDefinition | undefined {
    const folded = fold(type);
    return (
      this.#winners.get(type) ??
      this.list().find((definition) => fold(definition.name) === folded) ??
      this.#aliases.get(folded)
    );
  }

  /** The error for a type that is not there, with what was probably meant. */
  notFound(type: string): RetinueError {
    const names = this.list().map((definition) => definition.name);
    const folded = fold(type);
    const [closest] = names
      .map((name) => ({ name, distance: editDistance(fold(name), folded) }))
      .filter(({ name, distance }) => distance <= Math.max(2, name.length / 3))
      .toSorted((a, b) => a.distance - b.distance);
    const hint = closest === undefined ? "" : ` Did you mean '${closest.name}'?`;
    return new RetinueError(
      "unknown_agent_type",
      `Agent type '${type}' not found.${hint} Available agents: ${names.join(", ")}`,
    );
  }
}

function isOffered(
  definition: AgentDefinition,
  { settings, entrypoint }: { settings: Settings; entrypoint: Entrypoint },
): boolean {
  if (definition.source === "built-in" && settings.agents.builtins[definition.name] === false)
    return false;
  return (definition.entrypoints ?? ["cli", "library"]).includes(entrypoint);
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, "");
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, left] of a.split("").entries()) {
    const next = [i + 1];
    for (const [j, right] of b.split("").entries()) {
      const replace = (row[j] ?? 0) + (left === right ? 0 : 1);
      next.push(Math.min(replace, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
