import type { AgentDefinition } from "../definitions/definition.ts";
import type { EarlierAgents } from "../lifecycle/history/earlier-agents.ts";
import type { Registry } from "../lifecycle/registry.ts";
import type { Session } from "../lifecycle/session.ts";
import type { FreshLook } from "../platform/files/fresh-look.ts";
import type { Gate } from "../platform/gate.ts";
import type { LoadedFiles } from "../resolve/prompt.ts";
import type { Origin, Surroundings } from "../resolve/resolve.ts";
import type { Configuration } from "./configuration.ts";

/** Everything that spawning, resuming and branching use in one session. `openSession` makes it. */
export interface SessionRuntime {
  readonly session: Session;
  /** Agents of earlier processes of the session. */
  readonly earlier: EarlierAgents;
  readonly registry: Registry;
  readonly surroundings: Surroundings;
  /** Permissions that the host gives to every agent that it starts. */
  readonly meets: Origin["meets"];
  /** The contents of configuration files for the working directory. */
  readonly configuration: Configuration;
  /** Agent types that can be spawned now, and instructions for all; changed files are read again. */
  readonly files: FreshLook<LoadedFiles>;
  /** The definition of the main agent if the request names no type. */
  readonly mainDefinition: () => Promise<AgentDefinition>;
  /** Gate that keeps spawns in request order. */
  readonly spawns: Gate;
}
