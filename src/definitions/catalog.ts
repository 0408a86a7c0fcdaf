import { basename } from "node:path";
import { RetinueError } from "../errors.ts";
import type { Settings } from "../settings/settings.ts";
import { closest, fold } from "./closest.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { AgentDefinition, Entrypoint } from "./definition.ts";
import { sources } from "./sources.ts";

/** The agent types that can be spawned here and now: one definition per name, the one that wins. */
export class Catalog {
  readonly #winners: ReadonlyMap<string, AgentDefinition>;
  readonly #aliases: ReadonlyMap<string, AgentDefinition>;
  readonly #rejected: readonly Diagnostic[];

  constructor(
    definitions: readonly AgentDefinition[],
    options: {
      settings: Settings;
      entrypoint: Entrypoint;
      /** Of files that were not loaded, to tell somebody who asks for one of them. */
      diagnostics?: readonly Diagnostic[];
    },
  ) {
    this.#rejected = (options.diagnostics ?? []).filter(({ severity }) => severity === "error");
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
    const meant = closest(type, names);
    const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
    const rejected = this.#rejected.find(
      ({ agent, file }) => fold(agent ?? basename(file, ".md")) === fold(type),
    );
    const why =
      rejected === undefined ? hint : ` ${rejected.file} was not loaded: ${rejected.message}`;
    return new RetinueError(
      "unknown_agent_type",
      `Agent type '${type}' not found.${why} Available agents: ${names.join(", ")}`,
    );
  }
}

function isOffered(
  definition: AgentDefinition,
  { settings, entrypoint }: { settings: Settings; entrypoint: Entrypoint },
): boolean {
  if (
    definition.source === "built-in" &&
    Object.hasOwn(settings.agents.builtins, definition.name) &&
    settings.agents.builtins[definition.name] === false
  )
    return false;
  return (definition.entrypoints ?? ["cli", "library"]).includes(entrypoint);
}
