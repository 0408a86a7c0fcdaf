import { escapeTags } from "../../contract/escape-tags.ts";

/** A notification that a task in the background has ended. */
export interface TaskNotification {
  taskId: string;
  /** The call that started it. */
  toolUseId?: string | undefined;
  outputFile: string | null;
  status: string;
  /** One sentence. */
  summary: string;
  result?: string | undefined;
  usage?: { tokens: number; toolUses: number; durationMs: number } | undefined;
}

/**
 * The notification in the form that models and readers of transcripts know. Quoted text cannot pass for a part of it.
 */
export function taskNotification(note: TaskNotification): string {
  const { usage } = note;
  return [
    "<task-notification>",
    element("task-id", note.taskId),
    element("tool-use-id", note.toolUseId),
    element("output-file", note.outputFile ?? undefined),
    element("status", note.status),
    element("summary", note.summary),
    element("result", note.result),
    usage === undefined
      ? ""
      : `<usage><subagent_tokens>${usage.tokens}</subagent_tokens><tool_uses>${usage.toolUses}</tool_uses><duration_ms>${usage.durationMs}</duration_ms></usage>`,
    "</task-notification>",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function element(name: string, text: string | undefined): string {
  return text === undefined ? "" : `<${name}>${escapeTags(text, ownTags)}</${name}>`;
}

const ownTags = [
  "task-notification",
  "task-id",
  "tool-use-id",
  "output-file",
  "status",
  "summary",
  "result",
  "usage",
];
