import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { z } from "zod";
import { RetinueError } from "../../contract/errors.ts";
import { findToSteer } from "../find/find-agent.ts";
import { reachAgent } from "../find/reach-agent.ts";
import { plainLine } from "../terminal/sanitize.ts";
import { json, onlyRunning, which } from "../options/shared-options.ts";

const receiptSchema = z.object({ messageId: z.string(), agentId: z.string() });

export function addSend(program: Command): void {
  program
    .command("send")
    .description("send a message to a running agent, which reads it before its next turn")
    .argument("<id>", which)
    .argument("<message...>", "the message; '-' as the last word adds stdin")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Prints a receipt when the message is on disk.${onlyRunning}`,
    )
    .action(sendCommand);
}

/** `retinue send`: the receipt on stdout means that the message is on disk and will be read. */
async function sendCommand(
  id: string,
  words: string[],
  options: { json?: boolean },
): Promise<void> {
  const message = (words.at(-1) === "-" ? await withStdin(words) : words.join(" ")).trim();
  if (message === "")
    throw new RetinueError(
      "invalid_request",
      'There is no message. Write it: retinue send ID "…".',
    );
  const agent = await findToSteer(id);
  using client = await reachAgent(agent);
  const receipt = receiptSchema.parse(
    await client.call("send", { id: agent.record.id, text: message }),
  );
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify(receipt, null, 2)}\n`
      : `${plainLine(receipt.messageId)}\n`,
  );
  if (options.json !== true)
    process.stderr.write(
      `retinue: agent ${plainLine(receipt.agentId)} reads it before its next turn.\n`,
    );
}

async function withStdin(words: string[]): Promise<string> {
  return [words.slice(0, -1).join(" "), await text(process.stdin)].join("\n\n");
}
