import type { Command } from "commander";
import { RetinueError } from "../../contract/errors.ts";
import { sessionDirectory, type AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import { findToSteer } from "../find/find-agent.ts";
import { reachOwner } from "../find/reach-agent.ts";
import { likeAtStart, withWholePaths } from "../run/kept-start.ts";
import { resumeAllCommand } from "../run/resume-all.ts";
import { runSession, type RunOptions } from "../run/run-session.ts";
import { positive } from "../options/option-values.ts";
import { runOptions } from "../options/run-options.ts";
import { which } from "../options/shared-options.ts";

interface ResumeOptions extends RunOptions {
  all?: boolean;
  branch?: boolean;
  turn?: number;
}

export function addResume(program: Command): void {
  runOptions(program.command("resume"))
    .description("resume an agent that has ended or was interrupted, with its history")
    .argument("[id]", which)
    .argument("[message...]", "the next task; needed if the agent has completed")
    .option("--all", "resume every interrupted agent")
    .option("--branch", "leave the agent as it is, and run a copy with an id of its own")
    .option(
      "--turn <n>",
      "with --branch: the copy's history ends after the nth answer and its results",
      positive,
    )
    .addHelpText(
      "after",
      `
The agent works in its earlier directory, with the rules and options of its start unless you give new ones. The mode
bypassPermissions and options that contain secrets are not stored: give them again. A call that was running when the
process ended is not repeated: the agent reads that it was interrupted.

Examples:
  retinue resume a3f2 "Now fix what you found"
  retinue resume --all
  retinue resume a3f2 --branch --turn 3 --model opus`,
    )
    .action(resumeCommand);
}

/** `retinue resume`: resumes an agent with its history; with `--all` every interrupted one. */
async function resumeCommand(
  id: string | undefined,
  words: string[],
  options: ResumeOptions,
): Promise<void> {
  refuseUnfit(id, options);
  if (options.all === true) {
    return resumeAllCommand(options);
  }
  if (id === undefined) {
    throw new RetinueError(
      "invalid_request",
      "Name an agent ('retinue ps -a' lists them), or use --all for every interrupted one.",
    );
  }
  const agent = await findToSteer(id);
  const prompt = words.join(" ").trim() || undefined;
  // The other process needs no terminal either.
  if (await resumeElsewhere(agent, prompt, options)) return;
  if (options.detach === true && options.detachedLog === undefined) {
    const { detach } = await import("../run/detach.ts");
    return detach("resume", words, options);
  }
  const { id: agentId, cwd, sessionId } = agent.record;
  const given = withWholePaths(options);
  enter(cwd);
  const sessionDir = sessionDirectory(agent.file);
  const request = {
    prompt,
    model: options.model,
    maxTurns: options.maxTurns,
    timeout: options.timeout === undefined ? undefined : options.timeout * 1000,
  };
  await runSession(likeAtStart(sessionDir, given), {
    session: sessionId,
    start: async (manager) => {
      if (options.branch !== true) return manager.resume(agentId, request);
      const copy = await manager.branch(agentId, { ...request, turn: options.turn });
      if (options.quiet !== true) process.stderr.write(`retinue: the copy is agent ${copy.id}\n`);
      return copy;
    },
  });
}

/** Throws for options that would be ignored silently. */
function refuseUnfit(id: string | undefined, { all, branch, turn, detach }: ResumeOptions): void {
  if (all === true && id !== undefined)
    throw unfit("Name one agent and its task, or use --all, not both.");
  if (all === true && branch === true)
    throw unfit("--branch copies one agent: name it, and leave out --all.");
  if (all === true && detach === true)
    throw unfit("--all waits for its agents: leave out -d, or resume each with -d.");
  if (turn !== undefined && branch !== true)
    throw unfit("--turn works only with --branch: add --branch, or leave out --turn.");
}

function unfit(message: string): RetinueError {
  return new RetinueError("invalid_request", message);
}

/** Resumes the agent in the process that still runs its session; false if no other process does. */
async function resumeElsewhere(
  agent: AgentOnDisk,
  prompt: string | undefined,
  { branch, json }: ResumeOptions,
): Promise<boolean> {
  using client = await reachOwner(agent);
  if (client === undefined) return false;
  const { id: agentId, sessionId } = agent.record;
  if (branch === true) {
    throw new RetinueError(
      "session_busy",
      `The session of agent ${agentId} runs in another process. Branch the agent when that process has ended.`,
    );
  }
  await client.call("resume", { id: agentId, ...(prompt === undefined ? {} : { prompt }) });
  const row = { id: agentId, sessionId, transcript: agent.transcript };
  process.stdout.write(`${json === true ? JSON.stringify(row, null, 2) : agentId}\n`);
  process.stderr.write(
    `retinue: the agent resumes in the process that runs its session. 'retinue attach ${agentId}' shows it.\n`,
  );
  return true;
}

/** Enters the directory of the start: its options are relative to it. */
function enter(cwd: string): void {
  try {
    process.chdir(cwd);
  } catch (error) {
    throw new RetinueError(
      "invalid_request",
      `The directory in which the agent ran, ${cwd}, no longer exists. Create it, then resume the agent.`,
      { cause: error },
    );
  }
}
