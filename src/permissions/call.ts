import { knownTool } from "../tools/known-tools.ts";
import type { Effect } from "../tools/traits.ts";
import type { Ground } from "./ground.ts";
import { BashView } from "./bash/view.ts";
import type { Match } from "./forbid.ts";
import type { PathPair } from "./policy.ts";
import type { Rule } from "./rules/rule.ts";

/** A tool call as a decision sees it. */
export interface Call {
  /** The tool's own name, without aliases. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The files that the call names, absolute. */
  readonly paths: readonly string[];
  /** The type of agent that a name means, or that no name means. Same name, same type, however it is written. */
  agentType(name: string | undefined): string;
  /** The effect of the tool; left out: that of the tool which the name means everywhere. */
  readonly effect?: Effect;
}

/** A call with what several questions about it need, worked out once. */
export interface ViewedCall extends Call {
  readonly effect: Effect;
  readonly pairs: readonly PathPair[];
  /** Present for Bash only. */
  readonly bash: BashView | null;
  /** Answers of the rules that forbid: several stages ask them. */
  readonly matches: Map<Rule, Match | null>;
}

export function viewCall(call: Call, ground: Ground): ViewedCall {
  const effect = call.effect ?? knownTool(call.tool).effect;
  const command = effect === "command" ? call.input["command"] : undefined;
  return {
    ...call,
    effect,
    agentType: (name) => call.agentType(name),
    pairs: call.paths.map((path) => ({ given: path, real: ground.realPath(path) })),
    bash: typeof command === "string" ? new BashView(command, ground) : null,
    matches: new Map(),
  };
}
