import { errorMessage } from "../contract/errors.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { Manager } from "../manager.ts";
import type { Logger } from "../platform/logger.ts";
import { serveSession } from "./serve-session.ts";

/**
 * Opens the socket of a session with its first question, so that `retinue approve` reaches every program. Most sessions
 * ask nothing, and pay for nothing. Agents do not wait for the socket; if none can be opened, this is logged once.
 */
export function serveQuestions(
  manager: Manager,
  { inbox, logger }: { inbox: Inbox; logger: Logger },
): void {
  let isSaid = false;
  inbox.onOpen(() => {
    serveSession(manager).catch((error: unknown) => {
      if (isSaid) return;
      isSaid = true;
      logger.warn(
        { sessionId: manager.sessionId },
        `Other terminals cannot answer the questions of this session's agents. ${errorMessage(error)}`,
      );
    });
  });
}
