import type { AgentEventBody } from "../events/event.ts";
import type { Message } from "../contract/message.ts";
import type { MeteredModel } from "../model/metered.ts";
import type { ToolSpec } from "../model/model.ts";
import type { ResolvedAgent } from "../contract/resolved-agent.ts";
import type { Approvals } from "./approve.ts";
import type { CacheSafe } from "./cache-safe.ts";
import type { Clock } from "../platform/clock.ts";
import type { Limits } from "../settings/settings.ts";
import type { Tasks } from "../tools/agents/tasks.ts";
import type { Tool } from "../tools/tool.ts";
import type { Workbench } from "../tools/workbench.ts";
import type { MailSlot } from "./mail.ts";
import type { Pending } from "./pending.ts";
import type { Report } from "./relay.ts";
import type { Steps } from "./steps.ts";
import type { WrapUp } from "./wrap-up.ts";

/** The inputs and services of the loop of one agent. */
export interface LoopContext {
  readonly agent: ResolvedAgent;
  /** Permissions and environment as of now. */
  readonly meets: () => ResolvedAgent["meets"];
  readonly model: MeteredModel;
  /** Tools by name, in the order in which the model sees them. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** The same tools as the model sees them. */
  readonly toolSpecs: readonly ToolSpec[];
  readonly workbench: Workbench;
  /** Agents that this one may ask about and stop; absent: none. */
  readonly agents?: Tasks;
  readonly approvals: Approvals;
  readonly steps: Steps;
  readonly limits: Limits;
  /** Timers of the loop; a time that is stored comes from `steps`. */
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Means to ask the agent to report and end. */
  readonly wrapUp: WrapUp;
  /** Called when an answer grows by an invisible part: the input of a tool call. */
  readonly grows: () => void;
  readonly report: Report<AgentEventBody>;
  readonly mail: MailSlot;
  /** Receives every request that is sent; absent: not needed. */
  readonly cacheSafe?: CacheSafe | undefined;
  /** The conversation so far; the task itself comes as a prompt. */
  readonly history: History;
}

export interface History {
  readonly messages: readonly Message[];
  /** Number of answers in the task under way. */
  readonly turns: number;
  /** The point at which an earlier process was interrupted, if it was. */
  readonly pending: Pending | null;
}
