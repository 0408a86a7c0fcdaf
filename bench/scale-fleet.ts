import { openFloor } from "./floor.ts";

/** Many agents in this process. */
export interface Fleet {
  /** Runs one agent, from its prompt to its report. */
  run(prompt: string): Promise<string>;
  close(): Promise<void>;
}

export type ProgramName = "floor" | "retinue";

export interface FleetOptions {
  url: string;
  cwd: string;
  configDir: string;
  /** The number of agents that may run at once. */
  atOnce: number;
  /** Called just before each request. */
  onRequest?: () => void;
}

export async function openFleet(program: ProgramName, options: FleetOptions): Promise<Fleet> {
  return program === "floor" ? floorFleet(options) : retinueFleet(options);
}

function floorFleet({ url, onRequest }: FleetOptions): Fleet {
  const floor = openFloor(url, onRequest);
  return { run: (prompt) => floor.read(prompt), close: async () => floor.close() };
}

/** The library as a host uses it: spawns each agent and waits for its output. */
async function retinueFleet(options: FleetOptions): Promise<Fleet> {
  // Loaded here: the floor does not need it.
  const { createAnthropic, createManager } = await import("retinue");
  const { url, cwd, configDir, atOnce, onRequest } = options;
  const anthropic = createAnthropic({ baseURL: url, apiKey: "bench" });
  const manager = createManager({
    model: {
      ...anthropic,
      stream: (request, signal) => {
        onRequest?.();
        return anthropic.stream(request, signal);
      },
    },
    cwd,
    configDir,
    limits: { maxRunning: atOnce, maxTurns: 10_000 },
  });
  return {
    async run(prompt) {
      const { id } = await manager.spawn({ prompt, subagent_type: "general-purpose" });
      const { state, content, error } = await manager.output(id, { block: true });
      if (state !== "completed") throw new Error(`an agent is ${state}: ${error?.message}`);
      return content;
    },
    close: () => manager.close(),
  };
}
