import { existsSync, watch } from "node:fs";
import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { textOf, totalTokens } from "../../contract/message.ts";
import { failureOf } from "../../events/agent-record.ts";
import { isObject } from "../../platform/is-object.ts";
import { judgeLines } from "../../transcript/lines/judge-lines.ts";
import { isOpen, readAgent, type AgentOnDisk } from "../../transcript/agent-on-disk.ts";
import { parseEntry, type TranscriptEntry } from "../../transcript/reader.ts";
import { findAgent } from "../find/find-agent.ts";
import { formatCall } from "../terminal/format.ts";
import { fit } from "../terminal/width.ts";
import { plain } from "../terminal/sanitize.ts";
import { createStyle, wantsColor, type ColorChoice, type Style } from "../terminal/style.ts";
import { positive } from "../options/option-values.ts";
import { color, which } from "../options/shared-options.ts";

interface LogsOptions {
  follow?: boolean;
  lines?: number;
  json?: boolean;
  color: ColorChoice;
}

export function addLogs(program: Command): void {
  program
    .command("logs")
    .description("show the transcript of an agent")
    .argument("<id>", which)
    .option("-f, --follow", "follow until the agent ends")
    .option("-n, --lines <n>", "the last n entries only", positive)
    .option("--json", "raw lines, as on disk")
    .addOption(color())
    .action(logsCommand);
}

/** `retinue logs`: the text and calls of an agent; with `-f` until it ends. */
async function logsCommand(id: string, options: LogsOptions): Promise<void> {
  const agent = await findAgent(id);
  if (agent.record.scripted)
    process.stderr.write("retinue: replies are scripted, tools are real.\n");
  const enabled = wantsColor({
    choice: options.color,
    environment: process.env,
    isTTY: process.stdout.isTTY,
  });
  const render =
    options.json === true
      ? rawLine
      : (line: TranscriptLine) => readable(line, createStyle(enabled));
  let last = options.lines;
  let unread = 0;
  for await (const { lines, damaged, rest } of growing(
    agent.transcript,
    options.follow === true,
    () => hasEnded(agent.file),
  )) {
    const texts = lines.flatMap((line) => render(line));
    process.stdout.write((last === undefined ? texts : texts.slice(-last)).join(""));
    if (lines.length > 0) last = undefined;
    unread = rest;
    if (damaged.length > 0) process.stderr.write(leftOut(damaged));
  }
  const end = await readAgent(agent.file);
  // While the agent runs, an append may be in progress.
  if (unread > 0 && end !== undefined && !isOpen(end.record.state))
    process.stderr.write(
      `retinue: the last ${unread} bytes of the transcript are an incomplete line and are left out.\n`,
    );
  if (options.json !== true && end !== undefined) process.stdout.write(ending(end));
}

/** The state of the agent, and why it failed. */
function ending({ record }: AgentOnDisk): string {
  const error = failureOf(record);
  return `${record.state}${error === undefined ? "" : ` (${error.code}): ${plain(error.message)}`}\n`;
}

const mostNumbers = 10;

function leftOut(damaged: readonly number[]): string {
  const numbers = damaged.slice(0, mostNumbers).join(", ");
  const more = damaged.length > mostNumbers ? ", …" : "";
  return damaged.length === 1
    ? `retinue: line ${numbers} of the transcript is damaged, and is left out.\n`
    : `retinue: ${damaged.length} lines of the transcript are damaged, and are left out: ${numbers}${more}.\n`;
}

type TranscriptLine = Record<string, unknown>;

/** Lines that were appended to a transcript. */
interface Added {
  /** Valid lines, judged as a resume judges them. */
  lines: TranscriptLine[];
  /** Numbers of the invalid lines. */
  damaged: number[];
  /** Bytes at the end that are no complete append, yet or ever. */
  rest: number;
}

async function hasEnded(metaFile: string): Promise<boolean> {
  const agent = await readAgent(metaFile);
  return agent === undefined || !isOpen(agent.record.state);
}

/** Yields the lines of a file; with `follow` also those appended later, until `ended` and everything is read. */
async function* growing(
  path: string,
  follow: boolean,
  ended: () => Promise<boolean>,
): AsyncGenerator<Added> {
  while (!existsSync(path)) {
    if (!follow || (await ended())) return;
    await sleep(200);
  }
  await using file = await open(path, "r");
  let rest = Buffer.alloc(0);
  let firstLine = 1;
  for (;;) {
    // Checked before reading, so that lines written just before the end are still read.
    const last = !follow || (await ended());
    const bytes = Buffer.concat([rest, await file.readFile()]);
    const lines: TranscriptLine[] = [];
    const take = (value: unknown): void => void (isObject(value) && lines.push(value));
    const { bad, end, newlines } = judgeLines(bytes, { take, firstLine });
    const damaged = bad.filter(({ start }) => start < end).map(({ line }) => line);
    rest = bytes.subarray(end);
    firstLine += newlines;
    yield { lines, damaged, rest: rest.length };
    if (last) return;
    await changed(path);
  }
}

/** Resolves when the file changes, or after a short while: not every file system sends notifications. */
async function changed(path: string): Promise<void> {
  const stop = new AbortController();
  const notified = new Promise<void>((resolve) => {
    watch(path, { signal: stop.signal, persistent: false }, () => resolve()).on("error", () =>
      resolve(),
    );
  });
  await Promise.race([
    notified,
    sleep(500, undefined, { signal: stop.signal }).catch(() => undefined),
  ]);
  stop.abort();
}

function rawLine(line: TranscriptLine): string[] {
  return [`${JSON.stringify(line)}\n`];
}

function readable(line: TranscriptLine, style: Style): string[] {
  return parseEntry(line).flatMap((entry) => {
    const text = describe(entry, style);
    return text === null ? [] : [`${style.dim(entry.at.slice(11, 19))} ${text}\n`];
  });
}

const attachmentNames: Record<string, string> = {
  instructions: "project instructions",
  agent_listing_delta: "list of agent types",
  configuration: "configuration",
  critical_reminder: "reminder",
};

function describe(entry: TranscriptEntry, style: Style): string | null {
  switch (entry.kind) {
    case "prompt":
      return `${style.bold(entry.meta ? "harness" : "prompt")} ${indented(entry.text)}`;
    case "attachment":
      return style.dim(
        `shown: ${attachmentNames[entry.attachment.type] ?? plain(entry.attachment.type)}`,
      );
    case "result": {
      const text = cut(indented(textOf(entry.result.content)));
      return entry.result.is_error === true ? style.red(`  ✗ ${text}`) : style.dim(`  → ${text}`);
    }
    case "intent":
    case "record":
    case "branch":
    case "end":
      return null;
    case "mode":
      return style.yellow(`the plan is approved; the agent continues in mode ${plain(entry.to)}`);
    case "spend":
      return style.dim(
        `  ${totalTokens(entry.usage)} more tokens: a search, a summary, or an answer that broke off`,
      );
    case "answer": {
      const { block } = entry;
      if (block?.type === "text") return indented(block.text);
      if (block?.type === "thinking") return style.dim(`thinking ${indented(block.thinking)}`);
      return block?.type === "tool_use" ? style.bold(`▸ ${formatCall(block)}`) : null;
    }
  }
}

function indented(text: string): string {
  return plain(text).trimEnd().replaceAll("\n", "\n           ");
}

/** Cuts a result to a few lines; `--json` has all of it. */
function cut(text: string): string {
  const lines = text.split("\n").map((line) => fit(line, 300));
  return lines.length <= 8
    ? lines.join("\n")
    : `${lines.slice(0, 8).join("\n")}\n           … ${lines.length - 8} more lines`;
}
