import { setTimeout as sleep } from "node:timers/promises";
import type { ServedSession } from "../../control/serve-session.ts";
import { errorMessage } from "../../contract/errors.ts";
import type { Manager } from "../../manager.ts";

/** Milliseconds of silence after which the model has certainly received its request. */
const silenceMs = 2000;
/** Milliseconds before a run gets a socket: one that ends earlier needs none. */
const patienceMs = 1000;

export interface ServedLater extends AsyncDisposable {
  /** Resolves when other processes can reach the run, or never will. */
  ready: Promise<void>;
}

/**
 * Lets other terminals reach a run, a moment after its first request is out: the server is loaded and opened while the
 * model thinks. A run that ends before has no socket. If none can be opened, `say` gets a line and the run continues.
 */
export function serveLater(
  manager: Manager,
  options: {
    say: (line: string) => void;
    /** Whether a caller waits until the run can be reached. */
    isAwaited: boolean;
  },
): ServedLater {
  const { say, isAwaited } = options;
  const over = new AbortController();
  const serving = serveWhenAsked(manager, isAwaited, over.signal).catch((error: unknown) => {
    say(`other terminals cannot reach this run. ${errorMessage(error)}`);
    return undefined;
  });
  return {
    ready: serving.then(() => undefined),
    async [Symbol.asyncDispose]() {
      over.abort();
      await (await serving)?.close();
    },
  };
}

async function serveWhenAsked(
  manager: Manager,
  isAwaited: boolean,
  over: AbortSignal,
): Promise<ServedSession | undefined> {
  const types = [
    "turn-start",
    "text-delta",
    "thinking-delta",
    "model-retry",
    "assistant-message",
  ] as const;
  const events = manager.events({ types, signal: over });
  let timer: NodeJS.Timeout | undefined;
  for await (const { type } of events) {
    if (type !== "turn-start") break;
    timer ??= setTimeout(() => events.end(), silenceMs).unref();
  }
  clearTimeout(timer);
  if (!isAwaited)
    await sleep(patienceMs, undefined, { ref: false, signal: over }).catch(() => undefined);
  if (over.aborted) return undefined;
  const { serveSession } = await import("../../control/serve-session.ts");
  return serveSession(manager);
}
