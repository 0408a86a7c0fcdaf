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
    .description("delete ended agents, with their transcripts, results and output")
    .argument("<id...>", "ids, prefixes of ids, or names")
    .option("--json", json)
    .addHelpText(
      "after",
      `
An agent that has not ended is refused, and so is its main agent. An interrupted agent is deleted and cannot be resumed any
more. Deleting the last agent of a session deletes the whole session. If an agent cannot be deleted, the others still are;
the exit code is then that of the first failure: 3 for an unknown agent, 2 for an ambiguous one, otherwise 1.`,
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
