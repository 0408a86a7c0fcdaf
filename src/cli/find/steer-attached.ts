import type { AgentRow } from "../../session/agent-row.ts";
import type { ControlClient } from "../../control/client.ts";
import type { AgentId } from "../../contract/ids.ts";
import type { Receipt } from "../../steer.ts";
import { KeyLayers } from "../terminal/key-layers.ts";
import { LiveView } from "../views/live-view.ts";
import { RunKeys } from "../run/run-keys.ts";
import type { View } from "../run/watch-run.ts";

/** The keys of a run in another process, over its socket. None of them stops anything: Ctrl+C leaves. */
export function steerAttached(
  resources: DisposableStack,
  { client, view, main }: { client: ControlClient; view: View; main: AgentId },
): void {
  const { stdin: input } = process;
  if (!(view instanceof LiveView) || !input.isTTY || input.readableEnded) return;
  const keys = resources.use(new KeyLayers({ view, input }));
  const manager = {
    background: async (id: string) => (await client.call("background", { id })) as AgentRow,
    send: async (id: string, text: string) => (await client.call("send", { id, text })) as Receipt,
  };
  const say = (line: string): void => view.log(line);
  resources.use(new RunKeys({ manager, run: view.run, main, keys, say, interrupt: null }));
}
