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
import { abortable } from "../platform/abortable.ts";
import { loadShellParser } from "../permissions/shell/parser.ts";
import type { TreeHold } from "../tools/shell/tree-lock.ts";
import type { QuestionReply, Tool } from "../tools/tool.ts";
import type { LoopContext } from "./loop-context.ts";
import { begunCalls } from "./pending.ts";

/** Answers to calls that an agent's rules leave open. */
export interface Approvals {
  /** Whether a person can be asked now. */
  canAsk(): boolean;
  /** Grants to this agent since it started. */
  grants(): readonly SourcedRule[];
  /** The agent type of a name. */
  agentType(name: string | undefined): string;
  /** The type of an agent of the session. */
  typeOf(id: string): string | undefined;
  /** Asks for one call and waits. Rejects with the signal's reason. */
  ask(call: ToolCall, decision: Decision, signal: AbortSignal): Promise<Answered>;
  /** Asks a person the agent's own questions. */
  askQuestions(
    call: ToolCall,
    questions: readonly Question[],
    signal: AbortSignal,
  ): Promise<QuestionReply>;
  /**
   * Shows a person the plan of an agent, and asks whether it may continue in the mode `mode`. Rejects with the signal's
   * reason.
   */
  askPlan(
    call: ToolCall,
    asked: { reason: string; mode: PermissionMode },
    signal: AbortSignal,
  ): Promise<Answered>;
  /** The number of times that this exact call was denied to the agent, this time included. */
  countDenial(call: ToolCall): number;
}

/** The decision about a call, with the input that runs and the real paths that were decided on. */
export type Approved =
  | {
      readonly allowed: true;
      readonly input: Record<string, unknown>;
      /** Whether a person changed the input that the model wrote. */
      readonly changed: boolean;
      readonly real: ReadonlyMap<string, string>;
      /** The limit of a command that needed no approval. */
      readonly confinedTo: ConfinedTo | null;
      /** The hold of such a command on the files around it; it ends with the call. */
      readonly hold?: TreeHold | undefined;
    }
  | { readonly allowed: false; readonly text: string };

/**
 * Decides a call: rules first, then the people or checks that can be asked. An input that a person changed is checked
 * like the model's: a rule that denies still holds.
 */
export async function approve(
  context: LoopContext,
  tool: Tool,
  call: ToolCall,
  input: Record<string, unknown>,
): Promise<Approved> {
  const { steps, report, signal, approvals } = context;
  const key = `tool/${call.id}`;
  // A child that was requested before a crash was allowed then, and is only found again.
  if (tool.kind === "spawn" && begunCalls(context.history).has(call.id))
    return { allowed: true, input, changed: false, real: new Map(), confinedTo: null };
  if (tool.effect === "command") await loadShellParser();
  let hold: TreeHold | undefined;
  const first = await steps.run(`${key}/decide`, { repeatable: true }, async () => {
    // Nothing is put into directories that a command moves or copies.
    if (tool.effect === "command" || tool.effect === "edit") {
      const { tree } = context.workbench;
      while (tree.isMoved) await abortable(tree.settled(), signal);
    }
    const judged = judge(context, tool, input);
    // Taken at once: nothing can be moved between the decision and the hold.
    if (judged.decision.verdict === "allow") hold = holdTree(context, judged.decision);
    return judged;
  });
  const { decision } = first;
  if (decision.verdict === "deny") return denied(context, call, decision.reason);
  // A question is itself a request to a person.
  if (decision.verdict === "allow" || tool.effect === "question") {
    // Decisions recorded by an older version lack this field.
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
  if (answer.input === undefined) {
    const hold = holdTree(context, decision);
    return { allowed: true, input, changed: false, real: first.real, confinedTo: null, hold };
  }
  return changed(context, tool, call, answer.input);
}

function holdTree({ workbench }: LoopContext, { tree }: Decision): TreeHold | undefined {
  const hold = tree === undefined ? undefined : workbench.tree.hold(tree);
  if (tree?.runsOn === true) hold?.keepUntil(workbench.closed);
  return hold;
}

/** The name of the answerer, as the agent reads it. */
export function speaker(by: string): string {
  if (by === "check") return "An automated check";
  return by === "host" || by.startsWith("terminal") ? "A person" : by;
}

/** The input that a person changed. */
function changed(
  context: LoopContext,
  tool: Tool,
  call: ToolCall,
  given: Record<string, unknown>,
): Approved {
  const parsed = tool.input.safeParse(given);
  if (!parsed.success)
    return denied(
      context,
      call,
      "A person changed the input, and it is no longer valid for the tool.",
    );
  const { decision, real } = judge(context, tool, parsed.data);
  if (decision.verdict === "deny") return denied(context, call, decision.reason);
  const hold = holdTree(context, decision);
  return { allowed: true, input: parsed.data, changed: true, real, confinedTo: null, hold };
}

function denied({ report, approvals }: LoopContext, call: ToolCall, reason: string): Approved {
  report.emit({ type: "permission-deny", call, reason });
  return { allowed: false, text: denialText(reason, approvals.countDenial(call)) };
}

/** The decision of the rules about a call now, and the targets of its paths. */
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
  // A resumed agent keeps its type, whatever the call says.
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

/** The rules of an agent now, grants included. */
export function rulebookOf(
  { meets, approvals, workbench }: Pick<LoopContext, "meets" | "approvals" | "workbench">,
  resolved: (path: string) => string = realPath,
): Rulebook {
  const shellHome = workbench.env?.["HOME"];
  const real = realGround(workbench.cwd, undefined, shellHome);
  const ground = {
    ...real,
    environment: { ...real.environment, ...workbench.env },
    isShared: workbench.tree.isRead || workbench.tree.isMoved,
    isLinked: workbench.tree.isLinked,
    realPath: resolved,
  };
  return new Rulebook(meets().permissions, () => approvals.grants(), ground);
}
