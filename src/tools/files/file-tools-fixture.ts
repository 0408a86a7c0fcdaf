import { join } from "node:path";
import { newAgentId } from "../../contract/ids.ts";
import { realPath } from "../../platform/files/real-path.ts";
import { FileLedger } from "./file-state.ts";
import { ToolFailure, type LeafTool, type ToolContext, type ToolOutput } from "../tool.ts";
import { Workbench } from "../workbench.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

/** Test support: an agent with a workbench in a directory, which lasts until the test ends unless it is given. */
export async function makeContext(
  options: { root?: string; ledger?: FileLedger; agentType?: string; signal?: AbortSignal } = {},
): Promise<ToolContext> {
  const root = options.root ?? temporaryDirectory();
  const agentId = newAgentId();
  return {
    agentId,
    agentType: options.agentType ?? "worker",
    callId: "call",
    signal: options.signal ?? new AbortController().signal,
    workbench: new Workbench({
      agentId,
      root,
      resultsDir: join(root, "results"),
      tasksDir: join(root, "tasks"),
      ledger: options.ledger ?? new FileLedger(),
    }),
    realPath,
    progress() {},
  };
}

/** Runs a tool as the loop would: the input goes through the schema. */
export async function call(
  tool: LeafTool,
  input: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolOutput> {
  return tool.execute(tool.input.parse(input) as never, context);
}

/** The message of the `ToolFailure` that a call must end with. */
export async function failureOf(output: Promise<ToolOutput>): Promise<string> {
  try {
    await output;
  } catch (error) {
    if (error instanceof ToolFailure) return error.message;
    throw error;
  }
  throw new Error("Expected a ToolFailure, got a result.");
}
