import { RetinueError } from "../contract/errors.ts";
import { refusalOf, type RefusedSpeaker, type Speaker } from "../processes/speaker.ts";
import type { ControlPort } from "./control-port.ts";
import type { ControlMethod } from "./protocol.ts";

/** Throws `invalid_request`, and logs it, unless the process at the other end may speak as the user. */
export async function mustSpeak(
  method: ControlMethod,
  speaker: Speaker | null,
  port: Pick<ControlPort, "noteRefusal">,
): Promise<void> {
  // The owner's own programs control it as a host would; they cannot answer in the user's place.
  const notOurs = method === "answer";
  const refused = speaker === null ? unknownSpeaker : await refusalOf(speaker, { notOurs });
  if (refused === null) return;
  port.noteRefusal(method, refused);
  throw new RetinueError(
    "invalid_request",
    refused.agents.length > 0
      ? `This runs inside an agent, and only a person can ${notOurs ? "answer" : "steer this agent"}. Use a terminal of your own.`
      : `The session cannot verify which process asks for '${method}': ${refused.reason}. Use the retinue command, from a terminal of your own.`,
  );
}

const unknownSpeaker: RefusedSpeaker = {
  pid: null,
  agents: [],
  reason: "it has not named its process",
};
