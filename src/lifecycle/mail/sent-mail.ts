import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Mail } from "../../loop/mail.ts";
import { JsonlWriter, parseJsonl } from "../../transcript/lines/jsonl.ts";
import type { DiskSync } from "../../transcript/disk-sync.ts";

/** Stores a message for an agent; the sender may rely on it from then on. Throws the file system's error. */
export async function keepMessage(
  path: string,
  message: { text: string; at: number },
  disk: DiskSync | undefined,
): Promise<Mail> {
  const id = `m${randomUUID().replaceAll("-", "").slice(-16)}`;
  const writer = new JsonlWriter(path);
  try {
    writer.append([JSON.stringify({ id, ...message })]);
  } finally {
    writer.close();
  }
  await disk?.sync(path);
  return { id, text: message.text, source: "message" };
}

/** Every message ever sent to an agent, oldest first; the reader knows which ones it has read. */
export function sentMail(path: string): Mail[] {
  return linesOf(path).flatMap(({ id, text }) =>
    typeof id === "string" && typeof text === "string" ? [{ id, text, source: "message" }] : [],
  );
}

function linesOf(path: string): Record<string, unknown>[] {
  try {
    return parseJsonl(readFileSync(path, "utf8"));
  } catch {
    return [];
  }
}
