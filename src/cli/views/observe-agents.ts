import type { AgentEvent } from "../../events/event.ts";
import type { AgentId } from "../../contract/ids.ts";
import type { ObservedAgent } from "../../model/rehearsal/expectations.ts";

/** Collects the facts that a scenario's expectations check, from the events of a run. */
export class AgentObserver {
  readonly #agents = new Map<AgentId, ObservedAgent & { tools: string[] }>();

  apply(event: AgentEvent): void {
    if (event.type === "agent-queued" || event.type === "agent-start") {
      if (this.#agents.has(event.agentId)) return;
      const { type, prompt } = event.agent;
      this.#agents.set(event.agentId, {
        type,
        task: prompt ?? "",
        state: "stopped",
        tools: [],
        result: "",
      });
      return;
    }
    const agent = this.#agents.get(event.agentId);
    if (agent === undefined) return;
    if (event.type === "tool-call-start") agent.tools.push(event.call.name);
    if (event.type === "agent-end") {
      agent.state = event.result.state;
      agent.result = event.result.content;
    }
  }

  all(): ObservedAgent[] {
    return [...this.#agents.values()];
  }
}
