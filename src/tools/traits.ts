/** The facts about a tool that others act on: permissions, the choice of an agent's tools, and lines for people. */
export interface ToolTraits {
  readonly effect: Effect;
  /** Whether agents in the background have it. */
  readonly background: boolean;
  /** `named`: children only if their `tools` name it. `main`: the main agent alone. `planning`: agents in plan mode. */
  readonly audience: "all" | "named" | "main" | "planning";
  /** Whether it works through other agents, so that an agent in the mode `delegate` may call it. */
  readonly coordinates?: boolean;
  /** Whether an agent with a memory has it for the memory's directory, whatever its `tools` say. */
  readonly forMemory?: boolean;
  /** The field that represents the whole input where people write a call: `Bash(git push)`. */
  readonly mainField?: string;
  /** A call in one line, where the main field says too little. A model wrote the input: expect anything. */
  line?(input: Readonly<Record<string, unknown>>): string;
}

/**
 * The effect of a call, the main input of the permission decision.
 * - `none`: touches nothing of the user's. Runs unasked.
 * - `read`, `edit`: looks at, or changes, the files that `paths` names. Rules for `Read` and `Edit` match it too.
 * - `look`: looks at something else, for example the web, and changes nothing. Needs approval.
 * - `command`: a shell command, whose text is parsed.
 * - `question`: asks a person, so that no rule and no mode answers it.
 * - `other`: may change anything. Needs approval; not for agents that plan or are read-only.
 */
export type Effect = "none" | "read" | "edit" | "look" | "command" | "question" | "other";

/** Whether a call may change something and does not say what in a command. */
export function mayChange(effect: Effect): boolean {
  return effect === "edit" || effect === "other";
}

/** Whether the files that a call names are all that it touches. */
export function isAboutFiles(effect: Effect): boolean {
  return effect === "edit" || effect === "read";
}

/** The tool whose rules match every tool of this effect. */
export function ruleFamily(effect: Effect): "Edit" | "Read" | null {
  if (effect === "edit") return "Edit";
  return effect === "read" ? "Read" : null;
}
