import { randomUUID } from "node:crypto";
import { systemCode } from "../contract/errors.ts";
import { JsonlWriter, readJsonl } from "./lines/jsonl.ts";
import { attachmentBody, type Envelope } from "./entry.ts";

/**
 * Appends a note to a transcript that has no writer now. Readers see it as an attachment of type `notice`; an agent
 * that resumes from this transcript reads it as a reminder. `check` is called when the place is known, and nothing can
 * come between it and the write; its errors are thrown, as is the file system's.
 */
export async function appendNotice(options: {
  path: string;
  envelope: Envelope;
  text: string;
  at: number;
  check: () => void;
}): Promise<void> {
  const { isSidechain, agentId, ...rest } = options.envelope;
  const line = {
    parentUuid: await lastUuid(options.path),
    isSidechain,
    ...(agentId === undefined ? {} : { agentId }),
    ...attachmentBody({ type: "notice", text: options.text }),
    uuid: randomUUID(),
    timestamp: new Date(options.at).toISOString(),
    userType: "external",
    ...rest,
  };
  options.check();
  const writer = new JsonlWriter(options.path);
  try {
    writer.append([JSON.stringify(line)]);
  } finally {
    writer.close();
  }
}

async function lastUuid(path: string): Promise<string | null> {
  try {
    const lines = await readJsonl(path);
    const uuid = lines.findLast((line) => typeof line["uuid"] === "string")?.["uuid"];
    return typeof uuid === "string" ? uuid : null;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}
