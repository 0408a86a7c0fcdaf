import type { Command } from "commander";
import { failureOf } from "../../events/agent-record.ts";
import type { AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import { exitCodeOfAgent, exitCodes } from "../exit-codes.ts";
import { agentFinder, type FindAgent } from "../find/find-agent.ts";
import { Refusal } from "../refusal.ts";
import { plain } from "../terminal/sanitize.ts";
import { waitForEnd } from "../run/wait-for-end.ts";
import { seconds } from "../options/option-values.ts";
import { json, which } from "../options/shared-options.ts";

/** An agent, with its state when the wait is over. */
interface Awaited {
  agent: AgentOnDisk;
  timedOut: boolean;
}

export function addWait(program: Command): void {
  program
    .command("wait")
    .description("wait until agents have ended; the exit code is that of 'run'")
    .argument("<ids...>", which)
    .option("--timeout <seconds>", "longest time to wait; after it the exit code is 124", seconds)
    .option("--json", json)
    .addHelpText(
      "after",
      `
An interrupted agent gives exit code 1; an idle agent is not waited for. With several agents, the exit code is the first
that is not 0.`,
    )
    .action(waitCommand);
}

/** `retinue wait`: returns when all of them have ended, and prints a line for each as it ends. */
async function waitCommand(
  ids: string[],
  options: { timeout?: number; json?: boolean },
): Promise<void> {
  const late = new AbortController();
  const timer =
    options.timeout === undefined
      ? undefined
      : setTimeout(() => late.abort(), options.timeout * 1000);
  const findAgent = agentFinder();
  const outcomes = await Promise.all(
    ids.map(async (id) => {
      const outcome = await waitFor(id, { findAgent, late: late.signal });
      if (options.json !== true) print(outcome);
      return outcome;
    }),
  );
  clearTimeout(timer);
  if (options.json === true)
    process.stdout.write(`${JSON.stringify(outcomes.map(jsonRow), null, 2)}\n`);
  process.exitCode = outcomes.map(codeOf).find((code) => code !== exitCodes.ok) ?? exitCodes.ok;
}

async function waitFor(
  id: string,
  { findAgent, late }: { findAgent: FindAgent; late: AbortSignal },
): Promise<Awaited | Refusal> {
  try {
    const agent = await findAgent(id);
    try {
      return { agent: await waitForEnd(agent, late), timedOut: false };
    } catch (error) {
      if (!late.aborted) throw error;
      return { agent, timedOut: true };
    }
  } catch (error) {
    return new Refusal(id, error);
  }
}

function codeOf(outcome: Awaited | Refusal): number {
  if (outcome instanceof Refusal) return outcome.code;
  return outcome.timedOut ? exitCodes.timeout : exitCodeOfAgent(outcome.agent);
}

function print(outcome: Awaited | Refusal): void {
  if (outcome instanceof Refusal) process.stderr.write(String(outcome));
  else process.stdout.write(plain(line(outcome)));
}

function line({ agent: { record }, timedOut }: Awaited): string {
  const { id: agentId, state } = record;
  const error = failureOf(record);
  if (timedOut) return `${agentId}  has not ended yet\n`;
  const why = error === undefined ? "" : ` (${error.code}): ${error.message}`;
  return `${agentId}  ${state}${why}\n`;
}

function jsonRow(outcome: Awaited | Refusal): object {
  if (outcome instanceof Refusal) return outcome;
  const { agent, timedOut } = outcome;
  const { id, name } = agent.record;
  const error = failureOf(agent.record);
  return {
    id,
    name,
    state: agent.record.state,
    timedOut,
    ...(error === undefined ? {} : { error }),
  };
}
