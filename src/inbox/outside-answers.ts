import { errorMessage } from "../errors.ts";
import type { Logger } from "../platform/logger.ts";
import type { OpenRequest } from "./open-request.ts";
import type { RequestFiles } from "./request-files.ts";
import type { Answer } from "./request.ts";

interface Desk {
  /** Checks the answer as it would any. */
  inbox: { answer(id: string, given: Answer, by: string): Promise<unknown> };
  files: RequestFiles;
  logger: Logger;
}

/** Applies what other processes have left as answers to open requests. Whatever else lies there is logged and ignored. */
export function takeAnswers(open: ReadonlyMap<string, OpenRequest>, desk: Desk): void {
  for (const [id, entry] of open) {
    if (entry.answering !== null) continue;
    const read = desk.files.takeAnswer(id);
    if (read.kind === "value") void apply(id, read.value, open, desk);
    if (read.kind !== "refused" || entry.warned) continue;
    // What cannot be removed either is seen again every second.
    entry.warned = true;
    const file = desk.files.answerFile(id);
    desk.logger.warn({ file }, `An answer is ignored: ${read.reason}`);
  }
}

async function apply(
  id: string,
  given: { by: string; answer: unknown },
  open: ReadonlyMap<string, OpenRequest>,
  { inbox, files, logger }: Desk,
): Promise<void> {
  try {
    await inbox.answer(id, given.answer as Answer, given.by);
  } catch (error) {
    const message = errorMessage(error);
    logger.warn({ request: id }, `An answer was not taken: ${message}`);
    if (open.has(id)) await files.refuseAnswer(id, message).catch(() => undefined);
  }
}
