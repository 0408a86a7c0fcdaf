import { basename } from "node:path";
import { findAgents, isOpen, type AgentOnDisk } from "../../transcript/meta.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { formatModel, formatSpan, formatTokens } from "../format.ts";
import { plainLine } from "../sanitize.ts";
import { columns } from "../columns.ts";

/** `retinue ps`: agents of all processes, from the files that they keep. */
export async function psCommand(options: {
  all?: boolean;
  quiet?: boolean;
  json?: boolean;
}): Promise<void> {
  const agents = await findAgents(defaultConfigDir());
  const shown = agents.filter((agent) => options.all === true || isOpen(agent.state));
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(shown.map(jsonRow), null, 2)}\n`);
  } else if (options.quiet === true) {
    process.stdout.write(shown.map(({ meta }) => `${meta.retinue.agentId}\n`).join(""));
  } else if (shown.length === 0) {
    process.stderr.write(
      options.all === true
        ? "No agents yet.\n"
        : "No agent is running. 'retinue ps -a' lists ended ones.\n",
    );
  } else {
    const rows = shown.map(tableRow);
    process.stdout.write(`${columns([headings, ...rows], process.stdout.columns).join("\n")}\n`);
  }
}

const headings = ["ID", "TYPE", "STATE", "MODEL", "TOKENS", "TIME", "DIR", "TASK"];

function tableRow({ meta, state }: AgentOnDisk): string[] {
  const { retinue } = meta;
  const failure = retinue.error === undefined ? "" : ` (${retinue.error.code})`;
  return [
    retinue.agentId,
    meta.agentType,
    `${state}${failure}`,
    formatModel(retinue.model, retinue.scripted),
    retinue.tokens === undefined ? "" : formatTokens(retinue.tokens),
    formatSpan((retinue.endedAt ?? Date.now()) - retinue.startedAt),
    basename(retinue.cwd),
    retinue.name ?? meta.description,
  ].map((text) => plainLine(text));
}

function jsonRow({ meta, state, transcript }: AgentOnDisk): object {
  const { pid: _, pidStart: __, agentId, ...rest } = meta.retinue;
  return {
    id: agentId,
    ...rest,
    costUsd: rest.costUsd ?? null,
    type: meta.agentType,
    description: meta.description,
    depth: meta.spawnDepth,
    state,
    transcript,
  };
}
