import { z } from "zod";

const block = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("tool_use"), name: z.string() }),
  z.object({
    type: z.literal("tool_result"),
    content: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]),
  }),
]);

/** The part of a request to the Messages API that the fake model reads. */
export const messagesRequestSchema = z.object({
  model: z.string(),
  stream: z.literal(true),
  tools: z.array(z.object({ name: z.string() })).default([]),
  messages: z.array(
    z.object({
      role: z.enum(["user", "assistant"]),
      content: z.union([z.string(), z.array(block)]),
    }),
  ),
});

export type MessagesRequest = z.infer<typeof messagesRequestSchema>;

/** Text from the user's side, tool results left out. */
export function userText({ messages }: MessagesRequest): string {
  return messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [{ type: "text", text: content } as const] : content,
    )
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n");
}

/** The text of every tool result, oldest first. */
export function toolResults({ messages }: MessagesRequest): string[] {
  return messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .flatMap((part) => (part.type === "tool_result" ? [part.content] : []))
    .map((content) =>
      typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n"),
    );
}
