import { join } from "node:path";
import type { AgentResult } from "../../contract/agent-result.ts";
import type { AgentRow } from "../../session/agent-row.ts";
import type { AgentEvent } from "../../events/event.ts";
import type { AgentId } from "../../contract/ids.ts";
import type { ManagerOptions } from "../../session/manager-options.ts";
import { createManager, type Manager } from "../../manager.ts";
import { checkExpectations } from "../../model/rehearsal/expectations.ts";
import type { PermissionMode } from "../../contract/resolved-agent.ts";
import { version } from "../../contract/version.ts";
import { answerHere } from "./answer-here.ts";
import { chooseModel } from "./choose-model.ts";
import { reportFailure, reportStart } from "./detached-run.ts";
import { exitCodeOfResult, exitCodeOfSignal, exitCodes } from "../exit-codes.ts";
import { formatDenial } from "../terminal/format.ts";
import { forgetStart, keepStart } from "./kept-start.ts";
import { AgentObserver } from "../views/observe-agents.ts";
import { parseAgents } from "./parse-agents.ts";
import { configurationOptions, givenSettings, type HereOptions } from "./read-here.ts";
import { resultText } from "../views/result-text.ts";
import { RunState } from "../views/run-state.ts";
import { RunTotals } from "./run-totals.ts";
import { plain } from "../terminal/sanitize.ts";
import { serveLater } from "./serve-later.ts";
import { eventFrames, frameLine, resultFrame } from "../views/stream-json.ts";
import { createStyle, wantsColor, type ColorChoice } from "../terminal/style.ts";
import { warningLogger } from "../warning-logger.ts";
import { createView, watchRun, type RunView } from "./watch-run.ts";

export interface RunOptions extends HereOptions {
  print?: boolean;
  agent?: string;
  agentType?: string;
  name?: string;
  detach?: boolean;
  json?: boolean;
  raw?: boolean;
  /** The log file of a detached run, set in the detached process itself. */
  detachedLog?: string;
  outputFormat: "text" | "json" | "stream-json";
  includePartialMessages?: boolean;
  model?: string;
  maxTurns?: number;
  timeout?: number;
  allowedTools: string[];
  permissionMode?: PermissionMode | "manual";
  childPermissionMode?: PermissionMode;
  dangerouslySkipPermissions?: boolean;
  allowDangerouslySkipPermissions?: boolean;
  inbox?: boolean;
  askTimeout?: number;
  rehearse?: string;
  quiet?: boolean;
  color: ColorChoice;
}

/** A way to open a session, and the agent in it to watch. */
export interface SessionStart {
  /** An existing session; left out: a new one. */
  readonly session?: string;
  readonly start: (manager: Manager) => Promise<AgentRow>;
}

/** Runs one agent of a session to its end: its result on stdout, its progress on stderr. */
export async function runSession(given: RunOptions, session: SessionStart): Promise<void> {
  try {
    await runToEnd(given, session);
  } catch (error) {
    if (given.detachedLog !== undefined) reportFailure(error);
    throw error;
  }
}

async function runToEnd(given: RunOptions, { session, start }: SessionStart): Promise<void> {
  const { detachedLog } = given;
  const options = settled(given);
  const { model, rehearsal } = await chooseModel(options);
  // Lines inside a redrawn block would tear it.
  let block: Pick<RunView, "log"> | undefined;
  const warn = (line: string): void =>
    block === undefined ? void process.stderr.write(`${line}\n`) : block.log(line);
  const manager = createManager({
    model,
    ...managerOptions(options),
    ...(session === undefined ? {} : { session }),
    ...(options.quiet === true ? {} : { logger: warningLogger(warn) }),
  });
  try {
    keepStart(manager.transcripts.sessionDir, options, (text) => manager.redact(text));
  } catch (error) {
    await manager.close();
    throw error;
  }
  if (rehearsal !== null && options.quiet !== true) {
    const { source } = rehearsal.scenario;
    process.stderr.write(`retinue: replies are scripted by ${plain(source)}; tools are real.
`);
  }

  const totals = new RunTotals();
  const observer = rehearsal === null ? undefined : new AgentObserver();
  const show = progress(options, model.scripted);
  const types = (await manager.agentTypes()).map(({ name }) => name);
  const frames = frameWriter(options, {
    scripted: model.scripted,
    agents: types,
    taskOutput: (id) => join(manager.transcripts.sessionDir, "tasks", `${id}.output`),
  });
  try {
    using person = answerHere(manager, {
      view: show,
      waits: options.inbox === true,
      say: (line) => sayAsked(line, options, show),
    });
    if (process.stderr.isTTY && showsProgress(options)) block = show;
    await using serving = serveLater(manager, {
      say: (line) => show.log(line),
      isAwaited: detachedLog !== undefined,
    });
    const begin = async (): Promise<AgentRow> => {
      try {
        return await start(manager);
      } catch (error) {
        if (session === undefined) forgetStart(manager.transcripts.sessionDir);
        throw error;
      }
    };
    const { result, interrupted } = await watchRun(manager, begin, {
      types: showsAll(options) || rehearsal !== null ? undefined : totalled,
      apply: (event) => {
        totals.apply(event);
        observer?.apply(event);
        show.apply(event);
        frames(event);
      },
      log: (text) => show.log(text),
      survivesHangup: detachedLog !== undefined,
      onStopping: () => person.stopping(),
      onMain: (main) => {
        person.begin(main);
        // The starting process can reach the run as soon as it has the report.
        if (detachedLog !== undefined)
          void serving.ready.then(() => reportStart(main, detachedLog, manager));
      },
    });
    show.stop();
    printResult(result, options, () =>
      frameLine(
        resultFrame({ totals, sessionId: manager.sessionId, result, scripted: model.scripted }),
      ),
    );
    const broken =
      rehearsal === null || observer === undefined || interrupted !== null
        ? []
        : checkExpectations(rehearsal.scenario, observer.all(), rehearsal.model.unusedTurns());
    for (const sentence of broken) process.stderr.write(`retinue: ${plain(sentence)}\n`);
    process.exitCode = exitCode(result, interrupted, broken.length > 0);
  } finally {
    block = undefined;
    show.stop();
  }
}

/**
 * Options that follow from others: `--json` sets the output format. A detached run is not watched, so its questions
 * wait for `retinue approve`.
 */
function settled(given: RunOptions): RunOptions {
  if (given.detachedLog !== undefined) return { ...given, inbox: true };
  return given.json === true ? { ...given, outputFormat: "json" } : given;
}

/** Events that `RunTotals` and a quiet run read. */
const totalled = [
  "agent-queued",
  "agent-start",
  "assistant-message",
  "spend",
  "permission-deny",
] as const;

function showsAll(options: RunOptions): boolean {
  return options.outputFormat === "stream-json" || showsProgress(options);
}

function showsProgress({ outputFormat, quiet, print }: RunOptions): boolean {
  return outputFormat === "text" && quiet !== true && print !== true;
}

/** Translates the options of a run into manager options. */
export function managerOptions(options: RunOptions): Omit<ManagerOptions, "model"> {
  return {
    agents: parseAgents(options.agents),
    allowedTools: options.allowedTools,
    disallowedTools: options.disallowedTools ?? [],
    entrypoint: "cli",
    ...forPermissions(options),
    ...forManager(options),
  };
}

function forManager(
  options: HereOptions,
): Pick<ManagerOptions, "pluginDirs" | "addDirs" | "lenient" | "settings"> {
  return { ...configurationOptions(options), settings: givenSettings(options) };
}

function forPermissions(
  options: RunOptions,
): Pick<
  ManagerOptions,
  "permissionMode" | "childPermissionMode" | "allowBypassPermissions" | "inbox"
> {
  const { childPermissionMode } = options;
  const mode =
    options.dangerouslySkipPermissions === true ? "bypassPermissions" : options.permissionMode;
  return {
    ...(mode === undefined ? {} : { permissionMode: mode }),
    ...(childPermissionMode === undefined ? {} : { childPermissionMode }),
    allowBypassPermissions: options.allowDangerouslySkipPermissions === true,
    inbox: {
      attended: options.inbox === true,
      timeoutMs: options.askTimeout === undefined ? null : options.askTimeout * 1000,
    },
  };
}

/** Prints a question, in every output mode: an agent whose question is not shown would wait for ever. */
function sayAsked(line: string, options: RunOptions, show: Pick<RunView, "log">): void {
  if (options.outputFormat === "text" && options.quiet !== true) show.log(line);
  else process.stderr.write(`retinue: ${plain(line)}\n`);
}

function progress(options: RunOptions, scripted: boolean): Pick<RunView, "apply" | "log" | "stop"> {
  const { stderr } = process;
  if (options.quiet === true || options.outputFormat !== "text") {
    return { apply: () => undefined, log: () => undefined, stop: () => undefined };
  }
  // Without progress a denial is still said: it explains a result that falls short.
  if (options.print === true) {
    return {
      apply: (event) => {
        if (event.type !== "permission-deny") return;
        stderr.write(`retinue: ${formatDenial(event.call, event.reason)}
`);
      },
      log: (text) => void stderr.write(`retinue: ${plain(text)}\n`),
      stop: () => undefined,
    };
  }
  const enabled = wantsColor({
    choice: options.color,
    environment: process.env,
    isTTY: stderr.isTTY,
  });
  return createView(stderr, { style: createStyle(enabled), scripted });
}

function frameWriter(
  options: RunOptions,
  session: { scripted: boolean; agents: string[]; taskOutput: (id: AgentId) => string },
): (event: AgentEvent) => void {
  if (options.outputFormat !== "stream-json") return () => undefined;
  const run = new RunState();
  const context = {
    run,
    partialMessages: options.includePartialMessages === true,
    session: { cwd: process.cwd(), version, ...session },
  };
  return (event) => {
    run.apply(event);
    for (const frame of eventFrames(event, context)) process.stdout.write(frameLine(frame));
  };
}

function printResult(result: AgentResult, options: RunOptions, document: () => string): void {
  if (options.outputFormat !== "text") {
    process.stdout.write(document());
    return;
  }
  const content = resultText(result.content, options);
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
