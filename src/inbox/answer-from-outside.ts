import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { RetinueError } from "../contract/errors.ts";
import { awaitCall } from "../processes/call-back.ts";
import { nextLine } from "../transcript/lines/next-line.ts";
import { once } from "../platform/once.ts";
import { showing, signOf } from "../processes/sign.ts";
import { requestDigest } from "./canonical.ts";
import { settlementOf, type FoundRequest } from "./find-requests.ts";
import type { Answer } from "./request.ts";
import { settledBefore } from "./settlements.ts";

const patience = 10_000;
const pause = 20;

/** The reply of the process that asked to an answer. */
export type Reception = z.infer<ReturnType<typeof receptionSchema>>;
const receptionSchema = once(() =>
  z.union([
    z.object({ taken: z.literal(true) }),
    z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
  ]),
);

/**
 * Answers a request of another process and waits until that has applied it. Leaves word beside the request where to call
 * back, and gives the answer to whoever does: so the other process knows who answers. Throws where it has ended or does not
 * call, where somebody else was faster, and what it says is wrong with the answer.
 */
export async function answerFromOutside(found: FoundRequest, answer: Answer): Promise<void> {
  const { request, files } = found;
  if (found.processEnded)
    throw new RetinueError(
      "closed",
      `${request.id} cannot be answered now: the process that asked has ended. It is kept for when its session is resumed; 'retinue deny ${request.id}' removes it.`,
    );
  using waiting = await awaitCall(request.sessionId);
  if (!files.leaveWord(request.id, waiting.at)) throw settledBefore(request.id, "another terminal");
  const socket = await calledOn(waiting.called, found).finally(() =>
    files.takeBackWord(request.id, waiting.at),
  );
  try {
    await hand(answer, socket, found);
  } finally {
    socket.destroy();
  }
}

/** Throws when the request is settled before the call comes, and when no call comes. */
async function calledOn(called: Promise<Socket>, found: FoundRequest): Promise<Socket> {
  const { request, files, pid } = found;
  let socket: Socket | undefined;
  void called.then((caller) => (socket = caller));
  const until = performance.now() + patience;
  for (;;) {
    const isOpen = files.has(request.id);
    await setTimeout(pause);
    if (socket !== undefined) return socket;
    if (!isOpen)
      throw settledBefore(
        request.id,
        settlementOf(found)?.by ?? "somebody else, or withdrawn by its agent",
      );
    if (performance.now() > until)
      throw new RetinueError(
        "unreachable",
        `${request.id} is still open: process ${pid}, which asked, does not look for answers. If it is suspended, continue it, then try again.`,
      );
  }
}

async function hand(answer: Answer, socket: Socket, found: FoundRequest): Promise<void> {
  const { request } = found;
  const ask = (line: string): Promise<string | null> => {
    const reply = nextLine(socket, { longest: 64 * 1024, ms: patience });
    socket.write(`${line}\n`);
    return reply;
  };
  const said = JSON.stringify({ id: request.id, digest: requestDigest(request), answer });
  const reply = await ask(said);
  const challenge = challengeIn(reply);
  const last =
    challenge === undefined ? reply : await showing(signOf(challenge, said), () => ask("signed"));
  const reception = parsed(last);
  // The log knows what a process did that had no time to say it.
  const isTaken = settlementOf(found)?.by === terminalName(process.pid);
  if (reception === undefined && !isTaken)
    throw new RetinueError(
      "not_running",
      `The process that asked went away before it said whether it took the answer. 'retinue approvals' says whether ${request.id} is open.`,
    );
  if (reception === undefined || "taken" in reception) return;
  const { code, message } = reception.error;
  throw new RetinueError(code === "unknown_task" ? code : "invalid_request", message);
}

/** The name of a terminal that answered, in the log and for the agent. */
export function terminalName(pid: number): string {
  return `terminal (pid ${pid})`;
}

function challengeIn(line: string | null): string | undefined {
  const said: unknown = line === null ? null : JSON.parse(line);
  return z.object({ challenge: z.string() }).safeParse(said).data?.challenge;
}

function parsed(line: string | null): Reception | undefined {
  try {
    return receptionSchema().safeParse(JSON.parse(line ?? "")).data;
  } catch {
    return undefined;
  }
}
