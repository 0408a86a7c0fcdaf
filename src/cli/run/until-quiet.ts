import type { AgentRow } from "../../session/agent-row.ts";
import type { Manager } from "../../manager.ts";

/** Resolves when no awaited agent is at work any more. Agents that resume bring others back. */
export async function untilQuiet(
  manager: Manager,
  isAwaited: (row: AgentRow) => boolean = () => true,
): Promise<void> {
  for (;;) {
    const busy = manager.list().filter((row) => row.state !== "idle" && isAwaited(row));
    if (busy.length === 0) return;
    await Promise.all(busy.map(({ id }) => manager.output(id, { block: true })));
  }
}
