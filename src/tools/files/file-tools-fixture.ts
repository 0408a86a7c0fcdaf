import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newAgentId } from "../../contract/ids.ts";
import { realPath } from "../../platform/files/real-path.ts";
import { FileLedger } from "./file-state.ts";
import { ToolFailure, type LeafTool, type ToolContext, type ToolOutput } from "../tool.ts";
import { Workbench } from "../workbench.ts";

/** Test support: an agent with a workbench in a directory, which lasts until the test ends unless it is given. */
export async function makeContext(
  options: { root?: string; ledger?: FileLedger; agentType?: string; signal?: AbortSignal } = {},
): Promise<ToolContext> {
  const root = options.root ?? (await makeDirectory());
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

export async function makeDirectory(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "retinue-files-")));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
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
