import type { AgentOnDisk } from "../../transcript/meta.ts";
import { exitCodeOfAgent, exitCodes } from "../exit-codes.ts";
import { findAgent } from "../find-agent.ts";
import { plain } from "../sanitize.ts";
import { waitForEnd } from "../wait-for-end.ts";

/** `retinue wait`: returns when all of them have ended, with a line for each as it does. */
export async function waitCommand(
  ids: string[],
  options: { timeout?: number; json?: boolean },
): Promise<void> {
  const agents: AgentOnDisk[] = [];
  for (const id of ids) agents.push(await findAgent(id));
  const late = new AbortController();
  const timer =
    options.timeout === undefined
      ? undefined
      : setTimeout(() => late.abort(), options.timeout * 1000);
  const ended = await Promise.all(
    agents.map(async (agent) => {
      const end = await waitForEnd(agent, late.signal).catch((error: unknown) => {
        if (late.signal.aborted) return null;
        throw error;
      });
      if (options.json !== true) process.stdout.write(line(agent, end));
      return { agent, end };
    }),
  ).finally(() => clearTimeout(timer));
  if (options.json === true)
    process.stdout.write(`${JSON.stringify(ended.map(jsonRow), null, 2)}\n`);
  const codes = ended.map(({ end }) => (end === null ? exitCodes.timeout : exitCodeOfAgent(end)));
  process.exitCode = codes.find((code) => code !== exitCodes.ok) ?? exitCodes.ok;
}

function line({ meta }: AgentOnDisk, end: AgentOnDisk | null): string {
  const { agentId } = meta.retinue;
  if (end === null) return `${agentId}  has not ended yet\n`;
  const { error } = end.meta.retinue;
  const why = error === undefined ? "" : ` (${error.code}): ${plain(error.message)}`;
  return `${agentId}  ${end.state}${why}\n`;
}

function jsonRow({ agent, end }: { agent: AgentOnDisk; end: AgentOnDisk | null }): object {
  const { agentId: id, name, error } = (end ?? agent).meta.retinue;
  return {
    id,
    name,
    state: (end ?? agent).state,
    timedOut: end === null,
    ...(error === undefined ? {} : { error }),
  };
}
