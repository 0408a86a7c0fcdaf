import type { AgentEventBody } from "../events/event.ts";
import type { Message } from "../contract/message.ts";
import type { MeteredModel } from "../model/metered.ts";
import type { ToolSpec } from "../model/model.ts";
import type { ResolvedAgent } from "../contract/resolved-agent.ts";
import type { Approvals } from "./approve.ts";
import type { CacheSafe } from "./cache-safe.ts";
import type { Limits } from "../settings/settings.ts";
import type { Tasks } from "../tools/agents/tasks.ts";
import type { Tool } from "../tools/tool.ts";
import type { Workbench } from "../tools/workbench.ts";
import type { MailSlot } from "./mail.ts";
import type { Pending } from "./pending.ts";
import type { Report } from "./relay.ts";
import type { Steps } from "./steps.ts";
import type { WrapUp } from "./wrap-up.ts";

/** What the loop of one agent works with. */
export interface LoopContext {
  readonly agent: ResolvedAgent;
  /** How it meets the user now. */
  readonly meets: () => ResolvedAgent["meets"];
  readonly model: MeteredModel;
  /** By name, in the order in which the model sees them. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** The same as the model sees them. */
  readonly toolSpecs: readonly ToolSpec[];
  readonly workbench: Workbench;
  /** The agents that this one may ask about and stop; absent: none. */
  readonly agents?: Tasks;
  readonly approvals: Approvals;
  readonly steps: Steps;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** Where anybody asks the agent to report and end. */
  readonly wrapUp: WrapUp;
  /** Hears that an answer grows by what nobody is shown: the input of a tool call. */
  readonly grows: () => void;
  readonly report: Report<AgentEventBody>;
  readonly mail: MailSlot;
  /** Takes every request that is sent; absent: nobody asks. */
  readonly cacheSafe?: CacheSafe | undefined;
  /** What happened before; the task itself comes as a prompt. */
  readonly history: History;
}

export interface History {
  readonly messages: readonly Message[];
  /** Answers that the task under way has had. */
  readonly turns: number;
  /** Where an earlier process stopped, if it did in the midst of something. */
  readonly pending: Pending | null;
}
