import type { AgentResult } from "../agent-result.ts";
import type { AgentEvent } from "../events/event.ts";
import type { Manager } from "../manager.ts";
import type { SpawnRequestInput } from "../spawn-request.ts";
import { exitCodeOfSignal } from "./exit-codes.ts";
import { LiveView } from "./live-view.ts";
import { PlainView } from "./plain-view.ts";
import type { RunState } from "./run-state.ts";
import type { Style } from "./style.ts";

/** Something that shows events to a person. */
export interface View {
  readonly run: RunState;
  apply(event: AgentEvent): void;
  stop(): void;
}

/** A redrawn tree on a terminal, lines elsewhere. */
export function createView(
  stream: NodeJS.WriteStream,
  options: { style: Style; scripted: boolean },
): View {
  return stream.isTTY
    ? new LiveView({ stream, ...options })
    : new PlainView({ stream, ...options });
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs the main agent and hands every event to `onEvent` until it has ended. Ctrl+C once stops it and waits for the
 * cleanup; twice ends the process at once.
 */
export async function watchRun(
  manager: Manager,
  request: SpawnRequestInput,
  onEvent: (event: AgentEvent) => void,
): Promise<{ result: AgentResult; interrupted: NodeJS.Signals | null }> {
  const events = manager.events({ limit: 1_000_000 });
  const main = await manager.main(request);
  let interrupted: NodeJS.Signals | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    // The second time nobody waits any more; what the agents started is killed on the way out.
    if (interrupted !== null) process.exit(exitCodeOfSignal(signal));
    interrupted = signal;
    void manager.stop(main.id, `interrupted by ${signal}`);
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    for await (const event of events) {
      onEvent(event);
      if (event.type === "agent-end" && event.agentId === main.id) {
        return { result: event.result, interrupted };
      }
    }
    throw new Error("The run ended without a result.");
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    await manager.close();
  }
}
