import type { Catalog } from "./definitions/catalog.ts";
import type { AgentDefinition } from "./definitions/definition.ts";
import { RetinueError } from "./contract/errors.ts";
import type { SpawnRights } from "./contract/resolved-agent.ts";
import type { SpawnRequest } from "./contract/spawn-request.ts";

/** The decision about a request. Deciding touches nothing; the caller acts on it. */
export type Route =
  | { readonly kind: "agent"; readonly definition: AgentDefinition; readonly background: boolean }
  | { readonly kind: "refused"; readonly error: RetinueError };

/** The decision tree: may the asker spawn → which type → is the type allowed → isolation → foreground or background. */
export function routeRequest(
  request: SpawnRequest,
  context: {
    catalog: Catalog;
    defaultType: string;
    rights: SpawnRights;
    /** Whether agents may run in the background. */
    background: boolean;
  },
): Route {
  const { catalog, rights } = context;
  if (!rights.allowed) {
    return refused(
      "unsupported",
      "This agent cannot spawn agents: it is at the depth limit. Do the task yourself.",
    );
  }
  const type = request.subagent_type ?? context.defaultType;
  const definition = catalog.find(type);
  if (definition === undefined) return { kind: "refused", error: catalog.notFound(type) };

  if (rights.types !== "any" && !rights.types.some((name) => catalog.find(name) === definition)) {
    const allowed = rights.types.join(", ");
    return refused(
      "unknown_agent_type",
      `Agent type '${type}' may not be spawned here. Available agents: ${allowed}`,
    );
  }
  if (definition.isolation !== undefined) {
    return refused(
      "unsupported",
      `Agent type '${definition.name}' asks for isolation '${definition.isolation}', which this version cannot give. ` +
        "Remove 'isolation' from the definition or use another type.",
    );
  }
  const wanted = request.run_in_background === true || definition.background === true;
  return { kind: "agent", definition, background: wanted && context.background };
}

function refused(code: "unsupported" | "unknown_agent_type", message: string): Route {
  return { kind: "refused", error: new RetinueError(code, message) };
}
