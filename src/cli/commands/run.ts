import { text } from "node:stream/consumers";
import type { AgentResult } from "../../agent-result.ts";
import { RetinueError } from "../../errors.ts";
import type { AgentEvent } from "../../events/event.ts";
import { createManager } from "../../manager.ts";
import { checkExpectations } from "../../model/expectations.ts";
import { version } from "../../version.ts";
import { chooseModel } from "../choose-model.ts";
import { exitCodeOfResult, exitCodeOfSignal, exitCodes } from "../exit-codes.ts";
import { AgentObserver } from "../observe-agents.ts";
import { RunState } from "../run-state.ts";
import { plain } from "../sanitize.ts";
import { eventFrames, frameLine, resultFrame } from "../stream-json.ts";
import { createStyle, wantsColor, type ColorChoice } from "../style.ts";
import { createView, watchRun } from "../watch-run.ts";

export interface RunOptions {
  print?: boolean;
  agent?: string;
  agentType?: string;
  outputFormat: "text" | "json" | "stream-json";
  includePartialMessages?: boolean;
  model?: string;
  maxTurns?: number;
  agents?: string;
  allowedTools: string[];
  rehearse?: string;
  quiet?: boolean;
  color: ColorChoice;
}

/** `retinue run`: one main agent, its result on stdout, its progress on stderr. */
export async function runCommand(words: string[], options: RunOptions): Promise<void> {
  const { model, scenario } = await chooseModel(options);
  const prompt = await readPrompt(words);
  const agents = parseAgents(options.agents);
  const manager = createManager({
    model,
    agents,
    allowedTools: options.allowedTools,
    entrypoint: "cli",
  });

  const run = new RunState();
  const observer = new AgentObserver();
  const show = progress(options, model.scripted);
  const types = (await manager.agentTypes()).map(({ name }) => name);
  const frames = frameWriter(options, run, { scripted: model.scripted, agents: types });
  const type = options.agent ?? options.agentType;
  const request = {
    prompt,
    ...(type === undefined ? {} : { subagent_type: type }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.maxTurns === undefined ? {} : { max_turns: options.maxTurns }),
  };
  try {
    const { result, interrupted } = await watchRun(manager, request, (event) => {
      run.apply(event);
      observer.apply(event);
      show.apply(event);
      frames(event);
    });
    show.stop();
    printResult(result, options, () =>
      frameLine(resultFrame({ run, sessionId: manager.sessionId, result })),
    );
    const broken = checkExpectations(scenario, observer.all(), model.unusedTurns());
    for (const sentence of broken) process.stderr.write(`retinue: ${plain(sentence)}\n`);
    process.exitCode = exitCode(result, interrupted, broken.length > 0);
  } finally {
    show.stop();
  }
}

async function readPrompt(words: string[]): Promise<string> {
  const fromStdin =
    words.length === 0 ? !process.stdin.isTTY : words.length === 1 && words[0] === "-";
  const prompt = (fromStdin ? await text(process.stdin) : words.join(" ")).trim();
  if (prompt !== "") return prompt;
  throw new RetinueError(
    "invalid_request",
    'There is no task. Write it as an argument, retinue run "…", or pipe it in.',
  );
}

function parseAgents(json: string | undefined): Record<string, Record<string, unknown>> {
  if (json === undefined) return {};
  const example = '{"reviewer": {"description": "Reviews code", "prompt": "You review code."}}';
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new RetinueError(
      "invalid_config",
      `--agents is not valid JSON (${String(error)}). Write for example '${example}'.`,
    );
  }
  const isTable = (given: unknown): given is Record<string, unknown> =>
    typeof given === "object" && given !== null && !Array.isArray(given);
  if (!isTable(value) || !Object.values(value).every(isTable)) {
    throw new RetinueError(
      "invalid_config",
      `--agents must be an object of agent types. Write for example '${example}'.`,
    );
  }
  return value as Record<string, Record<string, unknown>>;
}

function progress(
  options: RunOptions,
  scripted: boolean,
): { apply(event: AgentEvent): void; stop(): void } {
  if (options.print === true || options.quiet === true || options.outputFormat !== "text") {
    return { apply: () => undefined, stop: () => undefined };
  }
  const { stderr } = process;
  const enabled = wantsColor({
    choice: options.color,
    environment: process.env,
    isTTY: stderr.isTTY,
  });
  return createView(stderr, { style: createStyle(enabled), scripted });
}

function frameWriter(
  options: RunOptions,
  run: RunState,
  session: { scripted: boolean; agents: string[] },
): (event: AgentEvent) => void {
  if (options.outputFormat !== "stream-json") return () => undefined;
  const context = {
    run,
    partialMessages: options.includePartialMessages === true,
    session: { cwd: process.cwd(), permissionMode: "default", version, ...session },
  };
  return (event) => {
    for (const frame of eventFrames(event, context)) process.stdout.write(frameLine(frame));
  };
}

function printResult(result: AgentResult, options: RunOptions, document: () => string): void {
  if (options.outputFormat !== "text") {
    process.stdout.write(document());
    return;
  }
  const content = process.stdout.isTTY ? plain(result.content) : result.content;
  if (content !== "") process.stdout.write(`${content.trimEnd()}\n`);
  if (result.state === "failed") {
    process.stderr.write(
      `retinue: the agent failed (${result.error.code}): ${plain(result.error.message)}\n`,
    );
  } else if (result.state === "stopped") process.stderr.write(`retinue: ${plain(result.reason)}\n`);
}

function exitCode(
  result: AgentResult,
  interrupted: NodeJS.Signals | null,
  broken: boolean,
): number {
  if (interrupted !== null) return exitCodeOfSignal(interrupted);
  const code = exitCodeOfResult(result);
  return code === exitCodes.ok && broken ? exitCodes.failed : code;
}
