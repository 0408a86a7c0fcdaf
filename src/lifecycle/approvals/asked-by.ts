import type { ToolCall } from "../../events/event.ts";
import type { InboxRequest } from "../../inbox/request.ts";
import type { ResolvedAgent } from "../../contract/resolved-agent.ts";

/** The asker and the call: the part of a request that is the same whatever is asked. */
export function askedBy(
  agent: ResolvedAgent,
  { id, name, input }: Pick<ToolCall, "name" | "input"> & Partial<Pick<ToolCall, "id">>,
): Pick<
  InboxRequest,
  | "agentId"
  | "agentType"
  | "agentName"
  | "label"
  | "definitionHash"
  | "toolUseId"
  | "tool"
  | "input"
> {
  return {
    agentId: agent.id,
    agentType: agent.type,
    agentName: agent.name,
    label: [...agent.relates.path],
    definitionHash: agent.definitionHash,
    ...(id === undefined ? {} : { toolUseId: id }),
    tool: name,
    input,
  };
}
