import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { errorMessage } from "../../contract/errors.ts";
import { newAgentId } from "../../contract/ids.ts";
import { realPath } from "../../platform/files/real-path.ts";
import { silentLogger } from "../../platform/logger.ts";
import { AgentSandbox } from "../../platform/sandbox/agent-sandbox.ts";
import type { ConfinedTo } from "../../platform/sandbox/confined-to.ts";
import type { SandboxLibrary } from "../../platform/sandbox/library.ts";
import { SessionSandbox } from "../../platform/sandbox/session-sandbox.ts";
import { TightSandbox } from "../../platform/sandbox/tight-sandbox.ts";
import { sandboxSchema, type SandboxSettings } from "../../settings/sandbox-settings.ts";
import { FileLedger } from "../files/file-state.ts";
import { ToolFailure, type LeafTool, type ToolContext, type ToolOutput } from "../tool.ts";
import { Workbench } from "../workbench.ts";

/** One agent's tools in a directory of their own. Disposing it ends the agent's processes and removes the directory. */
export class ToolBench implements AsyncDisposable {
  /** What commands of all benches run in, where a test file sets it. */
  static sandbox: OpenSandbox | undefined;
  /** The limit of commands of all benches, where a test file sets it. */
  static confinedTo: ConfinedTo | null = null;
  readonly directory: string;
  readonly root: string;
  readonly workbench: Workbench;
  readonly progress: string[] = [];
  readonly mark: string;
  #calls = 0;

  private constructor(directory: string, root: string) {
    const agentId = newAgentId();
    this.directory = directory;
    this.root = root;
    this.mark = `RETINUE_AGENT=${agentId}`;
    this.workbench = new Workbench({
      agentId,
      root,
      resultsDir: join(directory, "results"),
      tasksDir: join(directory, "tasks"),
      ledger: new FileLedger(),
      sandbox:
        ToolBench.sandbox &&
        new AgentSandbox(ToolBench.sandbox.library, ToolBench.sandbox.session, {
          cwd: root,
          directories: [root],
        }),
      tightSandbox: new TightSandbox({
        directories: [root],
        readable: [join(directory, "results"), join(directory, "tasks")],
        own: [],
      }),
    });
  }

  /** `root`: an existing working directory instead of a new one. */
  static async create(root?: string): Promise<ToolBench> {
    const directory = await realpath(await mkdtemp(join(tmpdir(), "retinue-tools-")));
    const bench = new ToolBench(directory, root ?? join(directory, "root"));
    if (root === undefined) await mkdir(bench.root);
    return bench;
  }

  /** As the loop does it: the input goes through the schema, a `ToolFailure` becomes a result. */
  async call(
    tool: LeafTool,
    input: Record<string, unknown>,
    options: Partial<
      Pick<
        ToolContext,
        "signal" | "ask" | "agents" | "wait" | "hasTool" | "mayReachPrivate" | "confinedTo"
      >
    > = {},
  ): Promise<ToolOutput & { content: string }> {
    const context: ToolContext = {
      agentId: newAgentId(),
      agentType: "general-purpose",
      callId: `call-${++this.#calls}`,
      signal: new AbortController().signal,
      confinedTo: ToolBench.confinedTo,
      ...options,
      workbench: this.workbench,
      realPath,
      progress: (text) => this.progress.push(text),
    };
    try {
      const output = await tool.execute(tool.input.parse(input) as never, context);
      return { ...output, content: output.content as string };
    } catch (error) {
      if (error instanceof ToolFailure) return { content: error.message, isError: true };
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.workbench[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}

export interface OpenSandbox {
  readonly session: SessionSandbox;
  readonly library: SandboxLibrary;
}

/** Or why there can be none here. */
export async function openSandbox(
  settings: Partial<Pick<SandboxSettings, "network" | "filesystem">> = {},
  ownDirectories: readonly string[] = [],
): Promise<OpenSandbox | string> {
  const session = new SessionSandbox({
    settings: sandboxSchema.parse({ enabled: true, ...settings }),
    ownDirectories,
    logger: silentLogger,
  });
  try {
    const library = await session.open();
    return library === undefined ? "it is switched off" : { session, library };
  } catch (error) {
    return errorMessage(error);
  }
}

/** Without what the sandbox itself consists of. */
export function commands(mark: string): string[] {
  return marked(mark).filter(
    (command) =>
      !/^bwrap |apply-seccomp|^socat |socat TCP-LISTEN|\/supervisor$|^sleep 0\.2$/.test(command),
  );
}

/** Commands of the living processes whose environment holds the mark. */
export function marked(mark: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    if (!textOf(`/proc/${pid}/environ`).split("\0").includes(mark)) return [];
    return [textOf(`/proc/${pid}/cmdline`).split("\0").join(" ").trim()];
  });
}

/** A zombie is dead: where init does not reap, it stays in the table. */
export function isAlive(pid: number): boolean {
  return /\) [^ZX]/.test(textOf(`/proc/${pid}/stat`));
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(5);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
