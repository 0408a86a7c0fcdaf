import type { Command } from "commander";
import { z } from "zod";
import { findToSteer } from "../find/find-agent.ts";
import { reachAgent } from "../find/reach-agent.ts";
import { plainLine } from "../terminal/sanitize.ts";
import { json, which } from "../options/shared-options.ts";

const rowSchema = z.looseObject({ id: z.string(), state: z.string() });

export function addBackground(program: Command): void {
  program
    .command("background")
    .description("move a running child to the background; its parent continues without it")
    .argument("<id>", which)
    .option("--json", json)
    .addHelpText("after", "\nIts parent is notified when it ends.")
    .action(backgroundCommand);
}

/** `retinue background`: the agent keeps running, and its parent no longer waits for it. */
async function backgroundCommand(id: string, options: { json?: boolean }): Promise<void> {
  const agent = await findToSteer(id);
  using client = await reachAgent(agent);
  const row = rowSchema.parse(await client.call("background", { id: agent.record.id }));
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify(row, null, 2)}\n`
      : `${plainLine(row.id)}  ${plainLine(row.state)} · in the background\n`,
  );
}
