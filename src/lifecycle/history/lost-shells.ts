import type { Mail } from "../../loop/mail.ts";
import { isObject } from "../../platform/is-object.ts";
import { taskNotification } from "../../tools/agents/task-notification.ts";

/**
 * Notifications for an interrupted agent about its background commands. It was promised one for each end, and the
 * commands ended with its process. `lines` are those of its transcript; the agent knows the end of its earlier runs.
 */
export function lostShells(lines: readonly Record<string, unknown>[]): Mail[] {
  const begun = lines.findLastIndex(
    ({ type }) => type === "retinue-end" || type === "retinue-branch",
  );
  const descriptions = new Map<unknown, string>();
  const open = new Map<unknown, Mail>();
  for (const line of lines.slice(begun + 1)) {
    const { toolUseResult: data, retinueMail } = line;
    open.delete(retinueMail);
    const block = firstBlock(line);
    if (block["type"] === "tool_use") descriptions.set(block["id"], descriptionOf(block["input"]));
    if (!isObject(data)) continue;
    // A call has reported its end.
    if (data["kind"] === "shell" && data["state"] !== "running") open.delete(data["id"]);
    const { backgroundTaskId: id, outputFile } = data;
    const callId = block["tool_use_id"];
    if (typeof id !== "string" || typeof callId !== "string") continue;
    const text = taskNotification({
      taskId: id,
      toolUseId: callId,
      outputFile: typeof outputFile === "string" ? outputFile : null,
      status: "interrupted",
      summary: `Background command "${descriptions.get(callId) ?? id}" was interrupted: the process that ran it ended. It may or may not have had its effect; look before you repeat it`,
    });
    open.set(id, { id, text, source: "notification" });
  }
  return [...open.values()];
}

function firstBlock({ message }: Record<string, unknown>): Record<string, unknown> {
  const content: unknown = isObject(message) ? message["content"] : undefined;
  const block: unknown = Array.isArray(content) ? content[0] : undefined;
  return isObject(block) ? block : {};
}

function descriptionOf(input: unknown): string {
  if (!isObject(input)) return "";
  const text = input["description"] ?? input["command"];
  return typeof text === "string" ? text.replaceAll(/\s+/g, " ").trim().slice(0, 200) : "";
}
