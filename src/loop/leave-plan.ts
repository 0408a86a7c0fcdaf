import type { ToolCall } from "../events/event.ts";
import type { PlanReply } from "../tools/tool.ts";
import { speaker } from "./approve.ts";
import type { LoopContext } from "./loop-context.ts";

/**
 * Shows the plan of an agent to a person. An approved plan returns the agent to the mode that it had before `plan`:
 * that is stored and emitted before the agent learns of it. A person is asked only if an answer changes something.
 */
export async function leavePlan(
  context: LoopContext,
  call: ToolCall,
  { plan, filePath }: { plan: string; filePath: string },
): Promise<PlanReply> {
  const { approvals, report, signal, steps } = context;
  const { permissions, mode } = context.meets();
  if (permissions.mode !== "plan") return { kind: "approved", mode: permissions.mode, plan };
  const { afterPlan } = mode;
  if (afterPlan === null) return { kind: "stays" };
  if (!approvals.canAsk()) return { kind: "nobody" };
  const reason = `The plan is finished and stored in ${filePath}. If you approve it, the agent continues in mode ${afterPlan}.`;
  report.emit({ type: "permission-request", call, reason, part: null, suggestions: [] });
  const { answer, by } = await steps.wait(`tool/${call.id}/plan`, "permission", () =>
    approvals.askPlan({ ...call, input: { plan } }, { reason, mode: afterPlan }, signal),
  );
  const isAllowed = answer.verdict === "allow";
  report.emit({ type: "permission-answer", call, allowed: isAllowed, by });
  if (!isAllowed) {
    if (by === "nobody") return { kind: "nobody" };
    const message =
      (answer.verdict === "deny" ? answer.message : undefined) ?? `${speaker(by)} said no.`;
    report.emit({ type: "permission-deny", call, reason: message });
    return { kind: "denied", message };
  }
  report.emit({ type: "mode-change", from: "plan", to: afterPlan, by });
  await report.told();
  signal.throwIfAborted();
  return { kind: "approved", mode: afterPlan, plan: changedPlan(answer.input) ?? plan };
}

/** The plan as edited by the person, if they changed it. */
function changedPlan(input: Record<string, unknown> | undefined): string | undefined {
  const plan = input?.["plan"];
  return typeof plan === "string" && plan.trim() !== "" ? plan : undefined;
}
