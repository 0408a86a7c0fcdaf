/**
 * THE PIPELINE, the file to read first. A request becomes a running agent, one arrow at a time:
 *
 *   SpawnRequest → Route → AgentDefinition → ResolvedAgent → AsyncGenerator<AgentEvent, AgentResult>
 *
 * Each arrow is one call below; between two arrows there is plain data. The main agent and a child, with a task or
 * idle, all take this way.
 */
import { RetinueError } from "./contract/errors.ts";
import { refuseWhenOver } from "./lifecycle/life.ts";
import { claimOf } from "./lifecycle/queue/claim.ts";
import type { Registry } from "./lifecycle/registry.ts";
import type { RunningAgent } from "./lifecycle/running-agent.ts";
import type { Asker } from "./lifecycle/family.ts";
import { Ticket } from "./lifecycle/queue/slots.ts";
import { routeRequest, type Route } from "./route.ts";
import { resolveAgent, type Origin } from "./resolve/resolve.ts";
import type { SessionRuntime } from "./session/session-runtime.ts";
import { parseSpawnRequest, type SpawnRequestInput } from "./contract/spawn-request.ts";

/** The asker: an agent for a child, the host for a child of its own, or the host for the session's main agent. */
export type SpawnFor = { kind: "agent"; asker: Asker } | { kind: "host" } | { kind: "main" };

/** Resolves when the agent is queued, running or idle. Throws a `RetinueError` when the request is refused. */
export function spawn(
  input: SpawnRequestInput,
  by: SpawnFor,
  runtime: SessionRuntime,
): Promise<RunningAgent> {
  // Takes a place now, so that requests which wait for each other share one reading of the files.
  const files = runtime.files.ask();
  return runtime.spawns.run(async () => {
    const { session, registry, surroundings } = runtime;
    refuseWhenOver(session);

    // The request.
    const request = parseSpawnRequest(input);

    // The route: a pure decision; nothing has happened yet.
    const found = await files();
    const above = by.kind === "agent" ? registry.get(by.asker.id) : undefined;
    const parent = above?.agent;
    const rights = parent?.can.spawn ?? { allowed: true, types: "any" };
    const route: Route =
      by.kind === "main" && request.subagent_type === undefined
        ? { kind: "agent", definition: await runtime.mainDefinition(), background: false }
        : routeRequest(request, {
            catalog: found.catalog,
            rights,
            defaultType: surroundings.settings.agents.defaultType,
            background: session.allowsBackground && by.kind !== "main",
          });
    if (route.kind === "refused") throw route.error;
    if (by.kind === "main") refuseSecondMain(registry);

    // The resolved agent: one frozen record, in which everything is decided.
    const origin: Origin = {
      sessionId: session.id,
      parentId: parent?.id ?? null,
      toolUseId: by.kind === "agent" ? by.asker.toolUseId : null,
      parentModel: parent?.costs.model,
      workspace: parent?.workspace ?? surroundings.workspace,
      meets: above?.meets ?? runtime.meets,
      byModel: by.kind === "agent",
      path: parent?.relates.path ?? [],
      depth: by.kind === "main" ? 0 : (parent?.relates.depth ?? 0) + 1,
    };
    const { definition, background } = route;
    const context = { origin, background, found, surroundings };
    const agent = await resolveAgent(definition, request, context);

    // The slot. The main agent takes none; an agent without a task needs none yet.
    const takesSlot = by.kind !== "main" && request.prompt !== undefined;
    const ticket = takesSlot ? session.slots.reserve(claimOf(agent)) : new Ticket(null);
    try {
      // The registry knows the agent from here on.
      const running = await registry.add(agent, { standing: request.prompt === undefined });
      if (request.prompt === undefined) return running;
      const source = by.kind === "agent" ? "parent" : "human";
      const task = { prompt: request.prompt, source, timeout: agent.costs.timeout } as const;
      const follow = by.kind === "agent" && !background ? by.asker.signal : null;
      // The generator begins, driven by the registry whether or not a caller awaits it.
      await registry.start(running, task, { ticket, follow });
      return running;
    } catch (error) {
      ticket.release();
      throw error;
    }
  });
}

function refuseSecondMain(registry: Registry): void {
  if (!registry.list().some(({ agent }) => agent.relates.depth === 0)) return;
  const message =
    "This session already has a main agent. Spawn a child, or create another manager.";
  throw new RetinueError("invalid_request", message);
}
