import type { ToolCall } from "../events/event.ts";
import { denialText } from "../inbox/denials.ts";
import type { Answered } from "../inbox/request.ts";
import type { Question } from "../inbox/question.ts";
import { decide } from "../permissions/decide.ts";
import type { Decision, SourcedRule } from "../permissions/decision.ts";
import { realGround } from "../permissions/ground.ts";
import { Rulebook } from "../permissions/policy.ts";
import type { PermissionMode } from "../contract/resolved-agent.ts";
import { realPath } from "../platform/files/real-path.ts";
import type { ConfinedTo } from "../platform/sandbox/confined-to.ts";
import { loadShellParser } from "../permissions/shell/parser.ts";
import type { TreeHold } from "../tools/shell/tree-lock.ts";
import type { QuestionReply, Tool } from "../tools/tool.ts";
import type { LoopContext } from "./loop-context.ts";
import { begunCalls } from "./pending.ts";

/** Who answers what an agent's rules leave open. */
export interface Approvals {
  /** Somebody can be asked now. */
  canAsk(): boolean;
  /** What people have allowed this agent since it started. */
  grants(): readonly SourcedRule[];
  /** The type of agent that a name means. */
  agentType(name: string | undefined): string;
  /** The type of an agent of the session. */
  typeOf(id: string): string | undefined;
  /** Asks for one call and waits. Rejects with the signal's reason. */
  ask(call: ToolCall, decision: Decision, signal: AbortSignal): Promise<Answered>;
  /** Asks a person what the agent wants to know. */
  askQuestions(
    call: ToolCall,
    questions: readonly Question[],
    signal: AbortSignal,
  ): Promise<QuestionReply>;
  /** Shows a person the plan of an agent, and asks whether it may go on in the mode `mode`. Rejects with the signal's reason. */
  askPlan(
    call: ToolCall,
    asked: { reason: string; mode: PermissionMode },
    signal: AbortSignal,
  ): Promise<Answered>;
  /** How often this very call has been denied to the agent, this time included. */
  countDenial(call: ToolCall): number;
}

/** Whether a call may run, with the input that runs and the real paths that were decided on. */
export type Approved =
  | {
      readonly allowed: true;
      readonly input: Record<string, unknown>;
      /** It is not what the model wrote: somebody changed it. */
      readonly changed: boolean;
      readonly real: ReadonlyMap<string, string>;
      /** The limit of a command that nobody approved. */
      readonly confinedTo: ConfinedTo | null;
      /** The hold of such a command on the files around it; it ends with the call. */
      readonly hold?: TreeHold | undefined;
    }
  | { readonly allowed: false; readonly text: string };

/**
 * From a call to the word that it may run: rules first, then whoever can be asked. A person who changes the input is checked
 * like the model: what a rule denies stays denied.
 */
export async function approve(
  context: LoopContext,
  tool: Tool,
  call: ToolCall,
  input: Record<string, unknown>,
): Promise<Approved> {
  const { steps, report, signal, approvals } = context;
  const key = `tool/${call.id}`;
  // An agent that was asked for before a crash: it was allowed then, and is only found again.
  if (tool.kind === "spawn" && begunCalls(context.history).has(call.id))
    return { allowed: true, input, changed: false, real: new Map(), confinedTo: null };
  const { tree, closed } = context.workbench;
  if (tool.effect === "command") {
    await loadShellParser();
    await tree.settled();
  }
  let hold: TreeHold | undefined;
  const first = await steps.run(`${key}/decide`, { repeatable: true }, async () => {
    const judged = judge(context, tool, input);
    const use = judged.decision.tree;
    // In the same moment: nothing is moved between the decision and the hold.
    if (use !== undefined) hold = tree.hold(use);
    if (use?.runsOn === true) hold?.keepUntil(closed);
    return judged;
  });
  const { decision } = first;
  if (decision.verdict === "deny") return denied(context, call, decision.reason);
  // A question is itself what a person is asked.
  if (decision.verdict === "allow" || tool.effect === "question") {
    // A decision that was recorded by an older version has no such field.
    const confinedTo = decision.confinedTo ?? null;
    return { allowed: true, input, changed: false, real: first.real, confinedTo, hold };
  }
  const { reason, part, suggestions } = decision;
  report.emit({ type: "permission-request", call, reason, part, suggestions: [...suggestions] });
  const { answer, by } = await steps.wait(`${key}/approve`, "permission", () =>
    approvals.ask({ ...call, input }, decision, signal),
  );
  const isAllowed = answer.verdict === "allow";
  report.emit({ type: "permission-answer", call, allowed: isAllowed, by });
  if (!isAllowed) {
    const said = answer.verdict === "deny" ? answer.message : undefined;
    return denied(context, call, said ?? `${reason} ${speaker(by)} said no.`);
  }
  if (answer.input === undefined)
    return { allowed: true, input, changed: false, real: first.real, confinedTo: null };
  return changed(context, tool, call, answer.input);
}

/** Whoever answered, as the agent reads it. */
export function speaker(by: string): string {
  if (by === "check") return "An automated check";
  return by === "host" || by.startsWith("terminal") ? "A person" : by;
}

/** The input that a person gave instead. */
function changed(
  context: LoopContext,
  tool: Tool,
  call: ToolCall,
  given: Record<string, unknown>,
): Approved {
  const parsed = tool.input.safeParse(given);
  if (!parsed.success)
    return denied(context, call, "A person changed the input to one that does not fit the tool.");
  const { decision, real } = judge(context, tool, parsed.data);
  if (decision.verdict === "deny") return denied(context, call, decision.reason);
  return { allowed: true, input: parsed.data, changed: true, real, confinedTo: null };
}

function denied({ report, approvals }: LoopContext, call: ToolCall, reason: string): Approved {
  report.emit({ type: "permission-deny", call, reason });
  return { allowed: false, text: denialText(reason, approvals.countDenial(call)) };
}

/** What the rules say about a call now, and what its paths lead to. */
export function judge(
  context: Pick<LoopContext, "meets" | "approvals" | "workbench">,
  tool: Tool,
  input: Record<string, unknown>,
): { decision: Decision; real: Map<string, string> } {
  const { approvals, workbench } = context;
  const real = new Map<string, string>();
  const remembered = (path: string): string => {
    const known = real.get(path) ?? realPath(path);
    real.set(path, known);
    return known;
  };
  const book = rulebookOf(context, remembered);
  const paths = tool.kind === "leaf" ? (tool.paths?.(input, workbench.cwd) ?? []) : [];
  const { resume } = input;
  // Who is resumed is what it is, whatever the call says.
  const resumed = typeof resume === "string" ? approvals.typeOf(resume) : undefined;
  const asked = {
    tool: tool.name,
    effect: tool.effect,
    input,
    paths,
    agentType: (name: string | undefined) => resumed ?? approvals.agentType(name),
  };
  return { decision: decide(book, asked, { canAsk: approvals.canAsk() }), real };
}

/** An agent's rules as they are now, with what people have granted. */
export function rulebookOf(
  { meets, approvals, workbench }: Pick<LoopContext, "meets" | "approvals" | "workbench">,
  resolved: (path: string) => string = realPath,
): Rulebook {
  const shellHome = workbench.env?.["HOME"];
  const ground = {
    ...realGround(workbench.cwd, undefined, shellHome),
    isShared: workbench.tree.isRead,
    realPath: resolved,
  };
  return new Rulebook(meets().permissions, () => approvals.grants(), ground);
}
