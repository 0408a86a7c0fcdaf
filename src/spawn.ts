/**
 * THE PIPELINE, the file to read first. A request becomes a running agent, one arrow at a time:
 *
 *   SpawnRequest → Route → AgentDefinition → ResolvedAgent → AsyncGenerator<AgentEvent, AgentResult>
 *
 * Each arrow is one call below; each thing between two arrows is plain data. Main agent or child, with a task or
 * idle: the same way.
 */
import type { Catalog } from "./definitions/catalog.ts";
import type { AgentDefinition } from "./definitions/definition.ts";
import { RetinueError } from "./errors.ts";
import { newAgentId } from "./ids.ts";
import type { Registry } from "./lifecycle/registry.ts";
import type { RunningAgent } from "./lifecycle/running-agent.ts";
import type { Asker, Session } from "./lifecycle/session.ts";
import { Ticket } from "./lifecycle/slots.ts";
import { routeRequest, type Route } from "./request/route.ts";
import type { Environment } from "./resolve/environment.ts";
import { resolveAgent } from "./resolve/resolve.ts";
import type { SpawnRights } from "./resolved-agent.ts";
import type { Settings } from "./settings/settings.ts";
import { spawnRequestSchema, type SpawnRequestInput } from "./spawn-request.ts";

/** Everything the pipeline draws on. */
export interface House {
  readonly session: Session;
  readonly registry: Registry;
  readonly settings: Settings;
  readonly environment: Environment;
  /** The types that can be spawned now; files changed since the last call are read again. */
  readonly catalog: () => Promise<Catalog>;
  readonly mainDefinition: () => Promise<AgentDefinition>;
  readonly availableTools: readonly string[];
  readonly allowedTools: readonly string[];
  /** `CLAUDE_CODE_SUBAGENT_MODEL` */
  readonly subagentModel: string | undefined;
}

/** Who asks: an agent for a child, the host for a child of its own, or the host for the session's main agent. */
export type SpawnFor = { kind: "agent"; asker: Asker } | { kind: "host" } | { kind: "main" };

export async function spawn(
  input: SpawnRequestInput,
  by: SpawnFor,
  house: House,
): Promise<RunningAgent> {
  const { session, registry } = house;

  // 1. What was asked for.
  const parsed = spawnRequestSchema.safeParse(input);
  if (!parsed.success) throw invalidRequest(parsed.error.issues);
  const request = parsed.data;

  // 2. What kind of agent that is. Pure; nothing has happened yet.
  const catalog = await house.catalog();
  const parent = by.kind === "agent" ? registry.get(by.asker.id) : undefined;
  const rights = parent?.agent.can.spawn ?? anyType;
  const isPlainMain = by.kind === "main" && request.subagent_type === undefined;
  const route: Route = isPlainMain
    ? { kind: "agent", definition: await house.mainDefinition(), background: false }
    : routeRequest(request, { catalog, rights, defaultType: house.settings.agents.defaultType });
  if (route.kind === "refused") throw route.error;

  // 3. A place to run. The main agent takes none; an agent without a task needs none yet.
  const takesSlot = by.kind !== "main" && request.prompt !== undefined;
  const ticket = takesSlot ? session.slots.reserve() : new Ticket(null);
  try {
    // 4. One frozen record: everything that has a say has had it.
    const agent = await resolveAgent(route.definition, request, {
      id: newAgentId(),
      sessionId: session.id,
      parent:
        parent === undefined || by.kind !== "agent"
          ? null
          : {
              id: parent.agent.id,
              depth: parent.agent.relates.depth,
              model: parent.agent.costs.model,
              toolUseId: by.asker.toolUseId,
            },
      depth: by.kind === "main" ? 0 : (parent?.agent.relates.depth ?? 0) + 1,
      background: route.background,
      catalog,
      environment: house.environment,
      settings: house.settings,
      limits: session.limits,
      availableTools: house.availableTools,
      allowedTools: house.allowedTools,
      readableDirectories: [session.paths.resultsDir],
      subagentModel: house.subagentModel,
    });

    // 5. The generator, driven by the registry whoever waits for it.
    const running = await registry.add(agent, { standing: request.prompt === undefined });
    if (request.prompt !== undefined) {
      const source = by.kind === "agent" ? "parent" : "human";
      const task = { prompt: request.prompt, source, timeout: agent.costs.timeout } as const;
      void registry.run(running, task, {
        ticket,
        ...(by.kind === "agent" ? { follow: by.asker.signal } : {}),
      });
    }
    return running;
  } catch (error) {
    ticket.release();
    throw error;
  }
}

const anyType: SpawnRights = { allowed: true, types: "any" };

function invalidRequest(issues: readonly { path: PropertyKey[]; message: string }[]): RetinueError {
  const problems = issues
    .map((issue) => `${issue.path.join(".") || "request"}: ${issue.message}`)
    .join("; ");
  return new RetinueError(
    "invalid_request",
    `The spawn request is not valid: ${problems}. Correct it and spawn again.`,
  );
}
