import { Option, type Command } from "commander";
import type { AgentResult } from "../../contract/agent-result.ts";
import type { AgentRow } from "../../session/agent-row.ts";
import type { ControlClient } from "../../control/client.ts";
import { RetinueError } from "../../contract/errors.ts";
import { failureOf } from "../../events/agent-record.ts";
import { readAgent, type AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import type { AgentId } from "../../contract/ids.ts";
import type { Receipt } from "../../steer.ts";
import { readResultText } from "../../transcript/read-result.ts";
import { Caller } from "../find/caller.ts";
import { exitCodeOfAgent, exitCodeOfResult } from "../exit-codes.ts";
import { findAgent } from "../find/find-agent.ts";
import { notRunning, reachAgent } from "../find/reach-agent.ts";
import { resultText } from "../views/result-text.ts";
import { plain } from "../terminal/sanitize.ts";
import { KeyLayers } from "../terminal/key-layers.ts";
import { LiveView } from "../views/live-view.ts";
import { RunKeys } from "../run/run-keys.ts";
import { createStyle, wantsColor, type ColorChoice } from "../terminal/style.ts";
import { createView, type RunView } from "../run/watch-run.ts";
import { color, onlyRunning, raw, which } from "../options/shared-options.ts";

interface AttachOptions {
  json?: boolean;
  raw?: boolean;
  color: ColorChoice;
}

export function addAttach(program: Command): void {
  program
    .command("attach")
    .description("watch a running agent of another process until it ends; Ctrl+C leaves it running")
    .argument("<id>", which)
    .addOption(new Option("--json", "print its events, one JSON object a line"))
    .addOption(raw())
    .addOption(color())
    .addHelpText(
      "after",
      `
Prints the result of the agent, with the exit code that 'run' would have. On a terminal, Ctrl+B moves the children that the
agent waits for to the background, and m sends the agent a message.${onlyRunning}`,
    )
    .action(attachCommand);
}

/** `retinue attach`: the view of `retinue run` for an agent in another process. Never ends it. */
async function attachCommand(text: string, options: AttachOptions): Promise<void> {
  const agent = await findAgent(text);
  const id = agent.record.id;
  using client = await reachAgent(agent);
  let left = false;
  let lost: unknown;
  const leave = (): void => {
    left = true;
    client[Symbol.dispose]();
  };
  process.once("SIGINT", leave);
  const view = options.json === true ? null : viewOf(agent, options);
  using steering = new DisposableStack();
  if (view !== null && (await Caller.read()).maySteer(agent))
    steer(steering, { client, view, main: id });
  try {
    const result = await follow(client, id, view).catch((error: unknown) => {
      if (!left) lost = error;
      return null;
    });
    steering.dispose();
    view?.stop();
    if (result !== null) finish(result, options);
    else if (left)
      process.stderr.write(
        `retinue: left. Agent ${plain(id)} keeps running; 'retinue attach ${plain(id)}' shows it again.\n`,
      );
    else await finishFromFiles(agent, options, lost);
  } finally {
    view?.stop();
    process.off("SIGINT", leave);
  }
}

function viewOf({ record }: AgentOnDisk, { color }: AttachOptions): RunView {
  const { stderr, env: environment } = process;
  const enabled = wantsColor({ choice: color, environment, isTTY: stderr.isTTY });
  return createView(stderr, { style: createStyle(enabled), scripted: record.scripted });
}

/** The keys of a run in another process, over its socket. None of them stops anything: Ctrl+C leaves. */
function steer(
  resources: DisposableStack,
  { client, view, main }: { client: ControlClient; view: RunView; main: AgentId },
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

/**
 * Shows all events until the agent has ended. `null` when only its files have the result; throws when its process goes
 * away before.
 */
async function follow(
  client: ControlClient,
  id: string,
  view: RunView | null,
): Promise<AgentResult | null> {
  const { rows, events } = await client.watch(id);
  const watched = (rows as AgentRow[]).find((row) => row.id === id);
  // The end was emitted before we listened.
  if (watched === undefined || hasEnded(watched)) return null;
  const living = (rows as AgentRow[]).filter((row) => row.id === id || row.endedAt === null);
  for (const row of living) view?.add(row);
  for await (const watched of events) {
    if (watched.kind === "dropped") {
      view?.log(`${watched.count} events came too fast and are not shown.`);
      continue;
    }
    const { event } = watched;
    if (view === null) process.stdout.write(`${JSON.stringify(event)}\n`);
    else view.apply(event);
    if (event.type === "agent-end" && event.agentId === id) return event.result;
  }
  return null;
}

/** Whether an agent has ended. An idle one has not: it may get another task. */
function hasEnded({ endedAt, state }: AgentRow): boolean {
  return endedAt !== null && state !== "idle";
}

/**
 * Prints the end from the files: it may have been the last act of the agent's process. Throws `lost` if it has not
 * ended.
 */
async function finishFromFiles(
  agent: AgentOnDisk,
  options: AttachOptions,
  lost: unknown,
): Promise<void> {
  const now = await readAgent(agent.file);
  if (now === undefined || now.record.state === "interrupted") throw notRunning(now ?? agent);
  const { endedAt } = now.record;
  const error = failureOf(now.record);
  if (endedAt === null) throw lost ?? closed(now);
  process.exitCode = exitCodeOfAgent(now);
  if (options.json === true) return;
  print(await readResultText(now.transcript), options);
  if (error !== undefined)
    process.stderr.write(
      `retinue: the agent failed (${plain(`${error.code}): ${error.message}`)}\n`,
    );
}

function closed({ record }: AgentOnDisk): RetinueError {
  const { id: agentId, state } = record;
  return new RetinueError(
    "not_running",
    `The session of agent ${agentId} was closed while the agent was ${state}. 'retinue ps -a' shows its state.`,
  );
}

function finish(result: AgentResult, options: AttachOptions): void {
  process.exitCode = exitCodeOfResult(result);
  if (options.json === true) return;
  print(result.content, options);
}

function print(words: string, options: AttachOptions): void {
  const content = resultText(words, options);
  if (content !== "") process.stdout.write(`${content.trimEnd()}\n`);
}
