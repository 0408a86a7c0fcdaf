import type { ToolCall } from "../events/event.ts";
import type { InboxRequest } from "../inbox/request.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";

/** Who asks, and for what: the part of a request that is the same whatever is asked. */
export function askedBy(
  agent: ResolvedAgent,
  { name, input }: Pick<ToolCall, "name" | "input">,
): Pick<
  InboxRequest,
  "agentId" | "agentType" | "agentName" | "label" | "definitionHash" | "tool" | "input"
> {
  return {
    agentId: agent.id,
    agentType: agent.type,
    agentName: agent.name,
    label: [...agent.relates.path],
    definitionHash: agent.definitionHash,
    tool: name,
    input,
  };
}
