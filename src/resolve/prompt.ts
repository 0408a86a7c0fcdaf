import type { Catalog } from "../definitions/catalog.ts";
import type { AgentDefinition } from "../definitions/definition.ts";
import { escapeName } from "../contract/escape-tags.ts";
import type { Attachment } from "../contract/message.ts";
import type { SpawnRights } from "../contract/resolved-agent.ts";
import { toolName } from "../tools/registry.ts";
import { coveredBy } from "./covered-by.ts";
import type { Environment } from "./environment.ts";

export async function systemPrompt(
  definition: AgentDefinition,
  environment: Environment,
  model: string,
): Promise<string> {
  const block = await environment.block({ model, gitStatus: definition.omitGitStatus !== true });
  return definition.prompt === "" ? block : `${definition.prompt}\n\n${block}`;
}

/** The agent types and instructions in files, as read at one moment. */
export interface LoadedFiles {
  readonly catalog: Catalog;
  /** Read on first use. */
  instructions(): Promise<Attachment | null>;
}

/** Attachments in front of the first prompt, the parts that siblings share first. */
export async function initialAttachments(options: {
  definition: AgentDefinition;
  environment: Environment;
  found: LoadedFiles;
  spawn: SpawnRights;
}): Promise<Attachment[]> {
  const { definition, environment, spawn } = options;
  const { catalog } = options.found;
  const instructions = definition.omitClaudeMd === true ? null : await options.found.instructions();
  return [
    ...(instructions === null ? [] : [instructions]),
    ...(definition.includeConfiguration === true ? [configuration(catalog, environment)] : []),
    ...(spawn.allowed ? [agentList(catalog, spawn.types)] : []),
  ];
}

/**
 * The list of agents, in a message rather than in the tool's description: a new agent must not break the prompt cache.
 */
function agentList(catalog: Catalog, types: readonly string[] | "any"): Attachment {
  const definitions =
    types === "any" ? catalog.list() : types.flatMap((type) => catalog.find(type) ?? []);
  const lines = definitions.map(listingLine);
  return {
    type: "agent_listing_delta",
    text: `Agent types for the Agent tool:\n${lines.join("\n")}`,
    details: {
      addedTypes: definitions.map((definition) => definition.name),
      addedLines: lines,
      removedTypes: [],
      isInitial: true,
    },
  };
}

function listingLine(definition: AgentDefinition): string {
  const name = escapeName(definition.name);
  return `- ${name}: ${definition.description} (Tools: ${escapeName(shownTools(definition))})`;
}

/** The tools in the list. Tools for an agent's own memory say nothing about the work that it can be given. */
function shownTools({ tools, disallowedTools = [] }: AgentDefinition): string {
  if (tools === undefined)
    return disallowedTools.length === 0
      ? "All tools"
      : `All tools except ${disallowedTools.join(", ")}`;
  const left = tools.filter(
    (entry) => !disallowedTools.some((taken) => coveredBy(taken)(toolName(entry))),
  );
  return left.length === 0 ? "none" : left.join(", ");
}

function configuration(catalog: Catalog, environment: Environment): Attachment {
  const agents = catalog
    .list()
    .map(({ name, source, file }) => `- ${escapeName(name)} (${source}) ${escapeName(file ?? "")}`);
  return {
    type: "configuration",
    text: [
      `Configuration directory: ${escapeName(environment.configDir)}`,
      `Project: ${escapeName(environment.repository ?? environment.cwd)}`,
      "Agent types found here:",
      ...agents,
    ].join("\n"),
  };
}
