import type { Command } from "commander";
import { removeAgent } from "../../transcript/remove-agent.ts";
import { mustBePerson } from "../find/caller.ts";
import { exitCodes } from "../exit-codes.ts";
import { agentFinder, type FindAgent } from "../find/find-agent.ts";
import { firstRefusal, Refusal } from "../refusal.ts";
import { plain } from "../terminal/sanitize.ts";
import { json } from "../options/shared-options.ts";

interface Removed {
  asked: string;
  id: string;
}

export function addRm(program: Command): void {
  program
    .command("rm")
    .alias("remove")
    .description("delete ended agents: transcript, results, outputs")
    .argument("<id...>", "ids, beginnings of ids, or names")
    .option("--json", json)
    .addHelpText(
      "after",
      `
An agent that has not ended is refused, and so is the main agent of one; one that was interrupted goes, and cannot be resumed
any more. With the last agent of a session the whole session goes. If one cannot be removed, the others are all the same. The exit code is then that of the first
that was not: 3 when there is no such agent, 2 when several may be meant, otherwise 1.`,
    )
    .action(removeCommand);
}

/** `retinue rm`: deletes ended agents of any process. */
async function removeCommand(asked: string[], options: { json?: boolean }): Promise<void> {
  await mustBePerson("remove agents");
  const outcomes: (Removed | Refusal)[] = [];
  const findAgent = agentFinder();
  for (const text of new Set(asked)) outcomes.push(await remove(text, findAgent));
  report(outcomes, options);
  process.exitCode = firstRefusal(outcomes)?.code ?? exitCodes.ok;
}

async function remove(asked: string, findAgent: FindAgent): Promise<Removed | Refusal> {
  try {
    const agent = await findAgent(asked);
    await removeAgent(agent, { sessionIsOpen: false });
    return { asked, id: agent.record.id };
  } catch (error) {
    return new Refusal(asked, error);
  }
}

function report(outcomes: readonly (Removed | Refusal)[], options: { json?: boolean }): void {
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
    return;
  }
  for (const outcome of outcomes) {
    if (outcome instanceof Refusal) process.stderr.write(String(outcome));
    else process.stdout.write(`${plain(outcome.id)}\n`);
  }
}
