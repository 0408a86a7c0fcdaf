import type { Socket } from "node:net";
import { errorMessage, RetinueError } from "../contract/errors.ts";
import { callBack, type CallBack } from "../processes/call-back.ts";
import { isObject } from "../platform/is-object.ts";
import type { Logger } from "../platform/logger.ts";
import { nextLine } from "../transcript/lines/next-line.ts";
import { newChallenge, signOf } from "../processes/sign.ts";
import { refusalOf, type RefusedSpeaker, type Speaker } from "../processes/speaker.ts";
import { terminalName, type Reception } from "./answer-from-outside.ts";
import type { OpenRequest } from "./open-request.ts";
import { largestFile, type RequestFiles } from "./request-files.ts";
import { requestDigest } from "./canonical.ts";
import type { Answer, InboxRequest } from "./request.ts";

interface Desk {
  sessionId: string;
  inbox: {
    /** Checks the answer as it would any. */
    answer(id: string, given: Answer, by: string): Promise<unknown>;
    noteRefusal(method: string, refused: RefusedSpeaker): void;
  };
  files: RequestFiles;
  logger: Logger;
}

/** Calls back every process that wants to answer an open request. Whatever else lies there is logged and ignored. */
export function takeAnswers(open: ReadonlyMap<string, OpenRequest>, desk: Desk): void {
  for (const [id, entry] of open) {
    if (entry.answering !== null) continue;
    const read = desk.files.takeWord(id);
    if (read.kind === "value") void hear(entry.request, read.value, desk);
    if (read.kind !== "refused" || entry.warned) continue;
    // What cannot be removed either is seen again every second.
    entry.warned = true;
    const file = desk.files.wordFile(id);
    desk.logger.warn({ file }, `An answer is ignored: ${read.reason}`);
  }
}

const patience = 5000;

/** Never rejects: whoever answers is told what is wrong, and so is the log. */
async function hear(request: InboxRequest, at: CallBack, desk: Desk): Promise<void> {
  const { id } = request;
  let socket: Socket | undefined;
  let reception: Reception;
  try {
    socket = await callBack(at, desk.sessionId);
    const line = await nextLine(socket, { longest: largestFile, ms: patience });
    const answer = answerIn(line, request);
    const challenge = newChallenge();
    const signed = nextLine(socket, { longest: largestFile, ms: patience });
    socket.write(`${JSON.stringify({ challenge })}\n`);
    await signed;
    await mustAnswer({ pid: at.pid, sign: signOf(challenge, line ?? "") }, desk);
    await desk.inbox.answer(id, answer as Answer, terminalName(at.pid));
    reception = { taken: true };
  } catch (error) {
    const message = errorMessage(error);
    desk.logger.warn({ request: id }, `An answer was not taken: ${message}`);
    reception = { error: { code: error instanceof RetinueError ? error.code : "failed", message } };
  }
  socket?.end(`${JSON.stringify(reception)}\n`, () => socket.destroy());
}

/** The answer names the request as the person saw it: files can be renamed and rewritten. */
function answerIn(line: string | null, request: InboxRequest): unknown {
  const said: unknown = line === null ? null : JSON.parse(line);
  if (!isObject(said))
    throw new RetinueError("invalid_request", "Whoever wanted to answer said nothing. Try again.");
  if (said["id"] === request.id && said["digest"] === requestDigest(request)) return said["answer"];
  throw new RetinueError(
    "invalid_request",
    `The answer is for another request than ${request.id}, or its file was changed. Look at 'retinue approvals' again.`,
  );
}

async function mustAnswer(speaker: Speaker, { inbox }: Desk): Promise<void> {
  const refused = await refusalOf(speaker, { notOurs: true });
  if (refused === null) return;
  inbox.noteRefusal("answer", refused);
  throw new RetinueError(
    "invalid_request",
    refused.agents.length > 0
      ? "This runs inside an agent, and only a person can answer. Use a terminal of your own."
      : `The session does not know who answers: ${refused.reason}. Use 'retinue approve' or 'retinue deny', from a terminal of your own.`,
  );
}
