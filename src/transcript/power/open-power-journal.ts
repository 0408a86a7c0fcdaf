import { errorMessage, RetinueError } from "../../contract/errors.ts";
import type { Logger } from "../../platform/logger.ts";
import { PowerJournal } from "./power-journal.ts";
import { replayJournal } from "./replay-journal.ts";
import type { SessionPaths } from "../paths.ts";

/**
 * Gives a session's files back what a power cut took from them, however durable this process wants to be; then opens the
 * journal if it wants to survive power cuts itself. Throws `storage`.
 */
export function openPowerJournal(
  durability: "process" | "power",
  { paths, logger }: { paths: SessionPaths; logger: Logger },
): PowerJournal | undefined {
  const place = { path: paths.powerJournal, root: paths.projectDir };
  try {
    const mended = replayJournal(place);
    if (mended.length > 0) {
      logger.warn({ files: mended }, "What a power cut took from these files is back in them.");
    }
  } catch (error) {
    throw new RetinueError(
      "storage",
      `What a power cut took from a session cannot be put back from ${place.path}: ${errorMessage(error)}. Free space or check permissions.`,
      { cause: error },
    );
  }
  return durability === "power" ? new PowerJournal(place) : undefined;
}

/** Never throws: where the files cannot be put on the disk, the journal stays and has what they lack. */
export async function closePowerJournal(
  journal: PowerJournal | undefined,
  logger: Logger,
): Promise<void> {
  if (journal === undefined) return;
  try {
    await journal.close();
    logger.info({ ...journal.counts }, "the power journal was closed");
  } catch (error) {
    const message =
      "the power journal could not be closed; the next start of the session replays it";
    logger.warn({ error: errorMessage(error) }, message);
  }
}
