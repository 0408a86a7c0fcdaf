import type { ToolResultBlock, ToolUseBlock } from "../contract/message.ts";
import { Gate } from "../platform/gate.ts";
import { toolName } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { callTool } from "./call-tool.ts";
import type { LoopContext } from "./loop-context.ts";

/**
 * Runs all tool calls of one turn. Adjacent calls that may share run together, the others alone and in order; results
 * come back in request order, whatever finished first.
 */
export async function callTools(
  context: LoopContext,
  calls: readonly ToolUseBlock[],
  malformed: Readonly<Record<string, string>>,
): Promise<ToolResultBlock[]> {
  const results: ToolResultBlock[] = [];
  for (const batch of batches(calls, context.tools)) {
    const gate = new Gate(context.limits.parallelTools);
    const ended = await Promise.all(
      batch.map(({ call: { id, name, input }, tool }) => {
        const raw = Object.hasOwn(malformed, id) ? malformed[id] : undefined;
        const run = (): Promise<ToolResultBlock> => callTool(context, { id, name, input }, raw);
        // A spawned agent waits for a slot of its own; only leaf tools load this process.
        return tool?.kind === "spawn" ? run() : gate.run(run);
      }),
    );
    // The outcome of one batch is on disk before the next one has any effect.
    await context.report.told();
    results.push(...ended);
  }
  return results;
}

interface Planned {
  call: ToolUseBlock;
  tool: Tool | undefined;
}

function batches(calls: readonly ToolUseBlock[], tools: ReadonlyMap<string, Tool>): Planned[][] {
  const all: Planned[][] = [];
  let open: Planned[] | undefined;
  for (const call of calls) {
    const tool = tools.get(toolName(call.name));
    if (tool?.concurrency === "alone") {
      all.push([{ call, tool }]);
      open = undefined;
    } else if (open === undefined) all.push((open = [{ call, tool }]));
    else open.push({ call, tool });
  }
  return all;
}
