import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import {
  findAgents,
  isInterrupted,
  isOpen,
  type AgentOnDisk,
} from "../../transcript/agent-on-disk.ts";
import { OpenAgents } from "../../transcript/open-agents.ts";
import { failureOf, totalOf } from "../../events/agent-record.ts";
import { totalTokens } from "../../contract/message.ts";
import { rowOf } from "../../session/agent-row.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { agentFilter } from "../find/filter-agents.ts";
import { formatModel, formatSpan, formatTokens } from "../terminal/format.ts";
import { plainLine } from "../terminal/sanitize.ts";
import { table } from "../terminal/columns.ts";
import { createStyle, wantsColor } from "../terminal/style.ts";
import { append } from "../options/option-values.ts";
import { json } from "../options/shared-options.ts";

interface PsOptions {
  all?: boolean;
  quiet?: boolean;
  json?: boolean;
  filter?: string[];
  watch?: boolean;
}

/** Agents as they are now: those to list, and those that were interrupted, listed or not. */
interface AgentListing {
  shown: AgentOnDisk[];
  interrupted: AgentOnDisk[];
}

export function addPs(program: Command): void {
  program
    .command("ps")
    .description("list agents that have not ended, in all processes")
    .option("-a, --all", "also list ended agents")
    .option("-q, --quiet", "ids only")
    .option(
      "--filter <key=value>",
      "state, type, name, session, parent, model or cwd (repeatable)",
      append,
      [],
    )
    .option("--watch", "refresh until Ctrl+C")
    .option("--json", json)
    .action(psCommand);
}

/** `retinue ps`: agents of all processes, from the files that they keep. */
async function psCommand(options: PsOptions): Promise<void> {
  const isAskedFor = agentFilter(options.filter ?? []);
  const configDir = defaultConfigDir();
  const open = new OpenAgents(configDir);
  const find = async (): Promise<AgentListing> => {
    const found = await (options.all === true ? findAgents(configDir) : open.look());
    const agents = found.filter((agent) => isAskedFor(agent));
    return {
      shown: options.all === true ? agents : agents.filter(({ record }) => isOpen(record.state)),
      interrupted: agents.filter(isInterrupted),
    };
  };
  if (options.watch === true) await watch(find, options);
  else print(await find(), options);
}

/** Prints the list refresh until Ctrl+C: in place on a terminal, elsewhere whenever it has changed. */
async function watch(find: () => Promise<AgentListing>, options: PsOptions): Promise<void> {
  const { stdout } = process;
  for (let last = ""; ; await sleep(1000)) {
    const found = await find();
    const now = JSON.stringify(found.shown.map(({ record }) => [record.id, record.state]));
    if (stdout.isTTY) stdout.write("\u001b[H\u001b[J");
    if (stdout.isTTY || now !== last) print(found, options);
    last = now;
  }
}

function print({ shown, interrupted }: AgentListing, options: PsOptions): void {
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(shown.map(jsonRow), null, 2)}\n`);
    return;
  }
  if (options.quiet === true) {
    process.stdout.write(shown.map(({ record }) => `${record.id}\n`).join(""));
    return;
  }
  if (shown.length === 0) {
    process.stderr.write(`${nothingShown(options)}\n`);
  } else {
    const rows = shown.map(tableRow);
    process.stdout.write(table([headings, ...rows]));
  }
  const [first] = interrupted;
  if (first !== undefined) process.stderr.write(`${dim(howToGoOn(first, interrupted.length))}\n`);
}

function nothingShown({ all, filter = [] }: PsOptions): string {
  const isFiltered = filter.length > 0;
  if (all === true) return isFiltered ? "No agent matches the filter." : "No agents yet.";
  return isFiltered
    ? "No running agent matches the filter. 'retinue ps -a' lists ended ones."
    : "No agent is running. 'retinue ps -a' lists ended ones.";
}

function howToGoOn({ record }: AgentOnDisk, count: number): string {
  return count === 1
    ? `1 agent was interrupted. To resume it: retinue resume ${plainLine(record.id)}`
    : `${count} agents were interrupted. To resume all of them: retinue resume --all; one of them: retinue resume ID`;
}

function dim(text: string): string {
  const { stderr, env: environment } = process;
  return createStyle(wantsColor({ choice: "auto", environment, isTTY: stderr.isTTY })).dim(text);
}

const headings = ["ID", "NAME", "TYPE", "STATE", "MODEL", "TOKENS", "TIME", "DIR", "TASK"];

function tableRow({ record }: AgentOnDisk): string[] {
  const failure = failureOf(record);
  return [
    record.id,
    record.name ?? "",
    record.type,
    `${record.state}${failure === undefined ? "" : ` (${failure.code})`}`,
    formatModel(record.model, record.scripted),
    formatTokens(totalTokens(totalOf(record).usage)),
    formatSpan((record.endedAt ?? Date.now()) - record.startedAt),
    basename(record.cwd),
    record.description,
  ].map((text) => plainLine(text));
}

function jsonRow({ record, transcript }: AgentOnDisk): object {
  return { ...rowOf(record), transcript };
}
