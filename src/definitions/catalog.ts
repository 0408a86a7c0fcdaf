import { basename } from "node:path";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { RetinueError } from "../contract/errors.ts";
import { matchesSegment } from "../permissions/rules/path-rule.ts";
import { toolName } from "../tools/registry.ts";
import type { Settings } from "../settings/settings.ts";
import { closest, fold } from "../platform/closest.ts";
import type { AgentDefinition } from "./definition.ts";
import type { Entrypoint } from "./fields.ts";
import { sources } from "./sources.ts";

/** A definition among others of its name. */
export interface Candidate {
  readonly definition: AgentDefinition;
  /** Reason why another definition wins; `null`: this one does. */
  readonly passedOver: string | null;
}

/** Agent types that can be spawned here and now: for each name, the definition that wins. */
export class Catalog {
  /** Winning definitions, the highest source first. */
  readonly #winners: ReadonlyMap<string, AgentDefinition>;
  readonly #aliases: ReadonlyMap<string, AgentDefinition>;
  readonly #candidates: readonly Candidate[];
  readonly #rejected: readonly Diagnostic[];

  /** Builds the catalog. The earlier of two definitions from one source wins. */
  constructor(
    definitions: readonly AgentDefinition[],
    options: {
      settings: Settings;
      entrypoint: Entrypoint;
      /** Diagnostics of files that were not loaded, for a caller that asks for their type. */
      diagnostics?: readonly Diagnostic[];
    },
  ) {
    this.#rejected = (options.diagnostics ?? []).filter(({ severity }) => severity === "error");
    const winners = new Map<string, AgentDefinition>();
    this.#candidates = definitions
      .map((definition) => keptReadOnly(definition, definitions))
      .toSorted((a, b) => sources[b.source] - sources[a.source])
      .map((definition) => {
        const winner = winners.get(definition.name);
        const passedOver =
          whyNotOffered(definition, options) ?? (winner === undefined ? null : shadowedBy(winner));
        if (passedOver === null) winners.set(definition.name, definition);
        return { definition, passedOver };
      });
    this.#winners = winners;
    // The higher source wins an alias: a Map keeps the last entry, so the lowest goes first.
    this.#aliases = new Map(
      [...winners.values()]
        .toReversed()
        .flatMap((definition) =>
          (definition.aliases ?? []).map((alias) => [fold(alias), definition] as const),
        ),
    );
  }

  list(): AgentDefinition[] {
    return [...this.#winners.values()].toSorted(byName);
  }

  /** All loaded definitions, by name, the winner of each name first. */
  candidates(): Candidate[] {
    return this.#candidates.toSorted((a, b) => byName(a.definition, b.definition));
  }

  /** Finds a definition: by exact name, then ignoring case and separators, then by alias; the higher source wins. */
  find(type: string): AgentDefinition | undefined {
    const folded = fold(type);
    if (folded === "") return this.#winners.get(type);
    return (
      this.#winners.get(type) ??
      this.#winners.values().find((definition) => fold(definition.name) === folded) ??
      this.#aliases.get(folded)
    );
  }

  /** The type that a name means, even if the type is not offered: for rules about types. */
  typeOf(name: string): string {
    const folded = fold(name);
    const isMeant = ({ definition }: Candidate): boolean =>
      [definition.name, ...(definition.aliases ?? [])].some((one) => fold(one) === folded);
    const meant = this.find(name) ?? this.#candidates.find(isMeant)?.definition;
    return meant?.name ?? folded;
  }

  /** The error for an unknown type, with the one that was probably meant. */
  notFound(type: string): RetinueError {
    const names = this.list().map((definition) => definition.name);
    const meant = closest(type, names);
    const hint = meant === undefined ? "" : ` Did you mean '${meant}'?`;
    const rejected = this.#rejected.find(
      ({ agent, file }) => fold(agent ?? basename(file, ".md")) === fold(type),
    );
    const off = this.#candidates.find(({ definition }) => fold(definition.name) === fold(type));
    const why =
      rejected !== undefined
        ? ` ${rejected.file} was not loaded: ${rejected.message}`
        : off?.passedOver
          ? ` It is not offered: ${off.passedOver}.`
          : hint;
    return new RetinueError(
      "unknown_agent_type",
      `Agent type '${type}' not found.${why} Available agents: ${names.join(", ")}`,
    );
  }
}

/**
 * Makes a project's definition read-only if it shadows a read-only agent of the user or of Retinue: `Explore` is
 * allowed to run unwatched because it changes nothing.
 */
function keptReadOnly(
  definition: AgentDefinition,
  all: readonly AgentDefinition[],
): AgentDefinition {
  if (definition.source !== "project" || definition.readOnly === true) return definition;
  const taken = all.find(
    ({ name, source, readOnly = false }) =>
      sources[source] < sources.project &&
      fold(name) === fold(definition.name) &&
      readOnly !== false &&
      readOnly !== definition.readOnly,
  );
  return taken?.readOnly === undefined ? definition : { ...definition, readOnly: taken.readOnly };
}

/** Names the file and source that win, for display. */
function shadowedBy({ source, file }: AgentDefinition): string {
  return `shadowed by ${file ?? "the one given by the host"} (${source} ${sources[source]})`;
}

function whyNotOffered(
  definition: AgentDefinition,
  { settings, entrypoint }: { settings: Settings; entrypoint: Entrypoint },
): string | null {
  const { name, source } = definition;
  const { builtins } = settings.agents;
  if (source === "built-in" && Object.hasOwn(builtins, name) && builtins[name] === false)
    return "switched off by the setting agents.builtins";
  if ((source === "user" || source === "project") && leavesAgentsToPlugins(settings))
    return "the policy strictPluginOnlyCustomization leaves agents to plugins";
  const { deny } = settings.permissions;
  const names = [name, ...(definition.aliases ?? [])];
  const isNamed = (rule: string): boolean => names.some((one) => namesType(rule, one));
  const denied = deny.find(isNamed);
  if (denied !== undefined) return `denied by '${denied}' in permissions.deny`;
  if (!(definition.entrypoints ?? ["cli", "library"]).includes(entrypoint))
    return `only for ${(definition.entrypoints ?? []).join(", ")}`;
  return null;
}

function leavesAgentsToPlugins({ strictPluginOnlyCustomization: strict }: Settings): boolean {
  return strict === true || strict.includes("agents");
}

/** Whether a rule names a type: `Agent(Explore)`, `Task(Explore)` or `Agent(a, b)`. */
function namesType(rule: string, type: string): boolean {
  const named = /\((.*)\)$/s.exec(rule)?.[1];
  if (named === undefined || toolName(rule) !== "Agent") return false;
  return named.split(",").some((name) => matchesSegment(fold(name.trim()), fold(type)));
}

function byName(a: AgentDefinition, b: AgentDefinition): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
