import type { AgentResult } from "../agent-result.ts";
import type { AgentRow } from "../agent-row.ts";
import type { AgentEvent } from "../events/event.ts";
import type { Manager } from "../manager.ts";
import { onBrokenPipe } from "./broken-pipe.ts";
import { exitCodeOfSignal } from "./exit-codes.ts";
import { LiveView } from "./live-view.ts";
import { PlainView } from "./plain-view.ts";
import type { RunState } from "./run-state.ts";
import type { Style } from "./style.ts";

/** Something that shows events to a person. */
export interface View {
  readonly run: RunState;
  apply(event: AgentEvent): void;
  /** A line that stays. */
  log(text: string): void;
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
type EndSignal = (typeof signals)[number] | "SIGPIPE";

/**
 * Starts an agent and hands every event to `view` until it and what it left in the background have ended. Ctrl+C, a request to stop, a closed terminal
 * or a reader that went away stop it and wait for the cleanup; the second Ctrl+C ends the process at once, and what the
 * agents started with it.
 */
export async function watchRun(
  manager: Manager,
  start: (manager: Manager) => Promise<AgentRow>,
  view: Pick<View, "apply" | "log"> & {
    /** The events that it looks at; left out: all. */
    types?: readonly AgentEvent["type"][] | undefined;
    /** Called when the main agent is under way. */
    onMain?: (main: AgentRow) => void;
    /** Called when it is told to stop. */
    onStopping?: () => void;
    /** No terminal takes it along when it closes. */
    survivesHangup?: boolean;
  },
): Promise<{ result: AgentResult; interrupted: EndSignal | null }> {
  let interrupted: EndSignal | null = null;
  const onSignal = (signal: EndSignal): void => {
    const again = interrupted !== null;
    if (again && (signal === "SIGINT" || signal === "SIGTERM"))
      process.exit(exitCodeOfSignal(signal));
    if (again) return;
    interrupted = signal;
    if (signal === "SIGINT") view.log("Stopping. Ctrl+C once more ends it at once.");
    view.onStopping?.();
    void manager.stopAll(`interrupted by ${signal}`);
  };
  let closing: Promise<void> | undefined;
  const forgetPipe = onBrokenPipe(() => onSignal("SIGPIPE"));
  const ignore = (): void => undefined;
  for (const signal of signals)
    process.on(signal, signal === "SIGHUP" && view.survivesHangup === true ? ignore : onSignal);
  try {
    const events = manager.events({
      limit: 1_000_000,
      ...(view.types === undefined ? {} : { types: ["agent-end", ...view.types] }),
    });
    const main = await start(manager);
    view.onMain?.(main);
    // A signal that came while it was being spawned found nothing to stop.
    if (interrupted !== null) void manager.stopAll(`interrupted by ${String(interrupted)}`);
    let result: AgentResult | undefined;
    for await (const event of events) {
      view.apply(event);
      if (event.type !== "agent-end" || event.agentId !== main.id) continue;
      result = event.result;
      // What it leaves in the background ends before everybody's eyes; what a person resumed meanwhile is waited for.
      closing ??= (result.state === "completed" ? othersOf(manager) : Promise.resolve())
        .then(() => manager.close())
        .finally(() => events.end());
      closing.catch(() => undefined);
    }
    if (result === undefined) throw new Error("The run ended without a result.");
    return { result, interrupted };
  } finally {
    await (closing ?? manager.close());
    for (const signal of signals) process.off(signal, onSignal).off(signal, ignore);
    forgetPipe();
  }
}

/** Until everybody that a person resumed has ended. */
async function othersOf(manager: Manager): Promise<void> {
  for (;;) {
    const busy = manager.list().filter(({ state, background }) => state !== "idle" && !background);
    if (busy.length === 0) return;
    await Promise.all(busy.map(({ id }) => manager.output(id, { block: true })));
  }
}
