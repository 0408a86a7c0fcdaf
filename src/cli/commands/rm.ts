import { removeAgent } from "../../transcript/remove-agent.ts";
import { mustBePerson } from "../find/caller.ts";
import { exitCodes } from "../exit-codes.ts";
import { agentFinder, type FindAgent } from "../find/find-agent.ts";
import { firstRefusal, Refusal } from "../refusal.ts";
import { plain } from "../terminal/sanitize.ts";

interface Removed {
  asked: string;
  id: string;
}

/** `retinue rm`: deletes ended agents of any process. */
export async function removeCommand(asked: string[], options: { json?: boolean }): Promise<void> {
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
