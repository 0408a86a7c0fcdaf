import type { Command } from "commander";
import { failureOf, hasEnded } from "../../events/agent-record.ts";
import { readResultText } from "../../transcript/read-result.ts";
import { lastTextOf, readTranscript } from "../../transcript/reader.ts";
import { findAgent } from "../find/find-agent.ts";
import { resultText } from "../views/result-text.ts";
import { plain } from "../terminal/sanitize.ts";
import { json, raw, which } from "../options/shared-options.ts";

export function addOutput(program: Command): void {
  program
    .command("output")
    .description("print the result of an agent, or its last text")
    .argument("<id>", which)
    .option("--json", json)
    .addOption(raw())
    .action(outputCommand);
}

/** `retinue output`: the result of an agent, or its last words so far, from its transcript. */
async function outputCommand(
  id: string,
  options: { json?: boolean; raw?: boolean },
): Promise<void> {
  const { record, transcript } = await findAgent(id);
  const { id: agentId, state, scripted } = record;
  const error = failureOf(record);
  const content = hasEnded(record)
    ? await readResultText(transcript)
    : lastTextOf(await readTranscript(transcript));
  if (options.json === true) {
    process.stdout.write(
      `${JSON.stringify({ agentId, state, scripted, content, ...(error === undefined ? {} : { error }) }, null, 2)}\n`,
    );
    return;
  }
  process.stdout.write(`${resultText(content, options)}\n`);
  if (scripted) process.stderr.write("retinue: this text is scripted; no model wrote it.\n");
  if (state !== "completed") {
    const why = error === undefined ? "" : ` (${error.code}: ${plain(error.message)})`;
    process.stderr.write(`retinue: the agent is ${state}${why}; this is its last text.\n`);
  }
}
