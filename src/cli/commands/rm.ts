import { errorMessage, RetinueError } from "../../errors.ts";
import { removeAgent } from "../../transcript/remove-agent.ts";
import { exitCodeOfError, exitCodes } from "../exit-codes.ts";
import { findAgent } from "../find-agent.ts";
import { plain } from "../sanitize.ts";

type Removal = { asked: string; id: string } | { asked: string; error: string };

/** `retinue rm`: deletes ended agents of any process. */
export async function removeCommand(asked: string[], options: { json?: boolean }): Promise<void> {
  const removals: Removal[] = [];
  let code: number = exitCodes.ok;
  for (const text of new Set(asked)) {
    try {
      const agent = await findAgent(text);
      await removeAgent(agent, { sessionIsOpen: false });
      removals.push({ asked: text, id: agent.meta.retinue.agentId });
    } catch (error) {
      removals.push({ asked: text, error: errorMessage(error) });
      code ||= error instanceof RetinueError ? exitCodeOfError(error.code) : exitCodes.failed;
    }
  }
  report(removals, options);
  process.exitCode = code;
}

function report(removals: readonly Removal[], options: { json?: boolean }): void {
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(removals, null, 2)}\n`);
    return;
  }
  for (const removal of removals) {
    if ("id" in removal) process.stdout.write(`${plain(removal.id)}\n`);
    else process.stderr.write(`retinue: ${plain(removal.error)}\n`);
  }
}
