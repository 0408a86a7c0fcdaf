import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findAgents, isOpen, type AgentOnDisk } from "../../transcript/meta.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { agentFilter } from "../filter-agents.ts";
import { formatModel, formatSpan, formatTokens } from "../format.ts";
import { plainLine } from "../sanitize.ts";
import { columns } from "../columns.ts";

interface PsOptions {
  all?: boolean;
  quiet?: boolean;
  json?: boolean;
  filter?: string[];
  watch?: boolean;
}

/** `retinue ps`: agents of all processes, from the files that they keep. */
export async function psCommand(options: PsOptions): Promise<void> {
  const isAskedFor = agentFilter(options.filter ?? []);
  const list = async (): Promise<AgentOnDisk[]> => {
    const agents = await findAgents(defaultConfigDir());
    return agents.filter(
      (agent) => (options.all === true || isOpen(agent.state)) && isAskedFor(agent),
    );
  };
  if (options.watch === true) await watch(list, options);
  else print(await list(), options);
}

/** The list again and again, until Ctrl+C: in place on a terminal, elsewhere whenever it has changed. */
async function watch(list: () => Promise<AgentOnDisk[]>, options: PsOptions): Promise<void> {
  const { stdout } = process;
  for (let last = ""; ; await sleep(1000)) {
    const agents = await list();
    const now = JSON.stringify(agents.map(({ meta, state }) => [meta.retinue.agentId, state]));
    if (stdout.isTTY) stdout.write("\u001b[H\u001b[J");
    if (stdout.isTTY || now !== last) print(agents, options);
    last = now;
  }
}

function print(shown: readonly AgentOnDisk[], options: PsOptions): void {
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
