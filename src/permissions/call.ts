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
  /** Its author says that the tool changes nothing. Of tools from elsewhere. */
  readonly isReadOnly?: boolean;
}

/** A call with what several questions about it need, worked out once. */
export interface ViewedCall extends Call {
  readonly pairs: readonly PathPair[];
  /** Of Bash only. */
  readonly bash: BashView | null;
  /** What rules that forbid have said of it: several stages ask them. */
  readonly matches: Map<Rule, Match | null>;
}

export function viewCall(call: Call, ground: Ground): ViewedCall {
  const command = call.tool === "Bash" ? call.input["command"] : undefined;
  return {
    ...call,
    agentType: (name) => call.agentType(name),
    pairs: call.paths.map((path) => ({ given: path, real: ground.realPath(path) })),
    bash: typeof command === "string" ? new BashView(command, ground) : null,
    matches: new Map(),
  };
}

/** Tools that change files, each with paths of its own. */
export const editTools: ReadonlySet<string> = new Set([
  "Edit",
  "Write",
  "NotebookEdit",
  "MultiEdit",
]);

/** Tools that look at files. */
export const readTools: ReadonlySet<string> = new Set(["Read", "Grep", "Glob"]);
