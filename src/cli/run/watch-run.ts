import type { AgentResult } from "../../contract/agent-result.ts";
import type { AgentRow } from "../../session/agent-row.ts";
import type { AgentRecord } from "../../events/agent-record.ts";
import type { AgentEvent } from "../../events/event.ts";
import type { Manager } from "../../manager.ts";
import { EndSignals, stoppingLine, type EndSignal } from "./end-signals.ts";
import { LiveView } from "../views/live-view.ts";
import { PlainView } from "../views/plain-view.ts";
import type { RunState } from "../views/run-state.ts";
import type { Style } from "../terminal/style.ts";
import { untilQuiet } from "./until-quiet.ts";

/** A display of events for a person. */
export interface RunView {
  readonly run: RunState;
  apply(event: AgentEvent): void;
  /** Shows an agent that runs already. */
  add(record: AgentRecord): void;
  /** Prints a permanent line. */
  log(text: string): void;
  stop(): void;
}

/** A redrawn tree on a terminal, lines elsewhere. */
export function createView(
  stream: NodeJS.WriteStream,
  options: { style: Style; scripted: boolean },
): RunView {
  return stream.isTTY
    ? new LiveView({ stream, ...options })
    : new PlainView({ stream, ...options });
}

/**
 * Starts an agent and hands every event to `view` until it and what it left in the background have ended. Signals to end
 * stop it and wait for the cleanup.
 */
export async function watchRun(
  manager: Manager,
  start: (manager: Manager) => Promise<AgentRow>,
  view: Pick<RunView, "apply" | "log"> & {
    /** Events that the view reads; left out: all. */
    types?: readonly AgentEvent["type"][] | undefined;
    /** Called when the main agent is under way. */
    onMain?: (main: AgentRow) => void;
    /** Called when the run is asked to stop. */
    onStopping?: () => void;
    /** Whether the run survives when its terminal closes. */
    survivesHangup?: boolean;
  },
): Promise<{ result: AgentResult; interrupted: EndSignal | null }> {
  using signals = new EndSignals((signal) => {
    if (signal === "SIGINT") view.log(stoppingLine);
    view.onStopping?.();
    void manager.stopAll(`interrupted by ${signal}`);
  }, view);
  let closing: Promise<void> | undefined;
  try {
    const events = manager.events({
      limit: 1_000_000,
      ...(view.types === undefined ? {} : { types: ["agent-end", ...view.types] }),
    });
    const main = await start(manager);
    view.onMain?.(main);
    // A signal during the spawn found nothing to stop.
    if (signals.received !== null) void manager.stopAll(`interrupted by ${signals.received}`);
    let result: AgentResult | undefined;
    for await (const event of events) {
      view.apply(event);
      if (event.type !== "agent-end" || event.agentId !== main.id) continue;
      result = event.result;
      // Agents left in the background end in view of the person; those that a person resumed meanwhile are awaited.
      const others = (): Promise<void> => untilQuiet(manager, ({ background }) => !background);
      closing ??= (result.state === "completed" ? others() : Promise.resolve())
        .then(() => manager.close())
        .finally(() => events.end());
      closing.catch(() => undefined);
    }
    if (result === undefined)
      throw new Error("The run ended without a result. 'retinue ps -a' shows its agents.");
    return { result, interrupted: signals.received };
  } finally {
    await (closing ?? manager.close());
  }
}
