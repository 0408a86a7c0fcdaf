import { toolUsesOf, type Message } from "../contract/message.ts";
import type { ModelAnswer } from "../model/model.ts";

/**
 * Gives the calls of an answer ids that are unique in the conversation. Some providers count ids from 0 in every
 * answer; they identify steps, results and children, so a second `call_0` would be mistaken for the first. A provider
 * accepts any id that a call and its result share.
 */
export function ownCallIds<Answer extends ModelAnswer>(
  answer: Answer,
  before: readonly Message[],
): Answer {
  const calls = toolUsesOf(answer.message);
  if (calls.length === 0) return answer;
  const used = new Set<string>();
  for (const message of before)
    if (message.role === "assistant") for (const { id } of toolUsesOf(message)) used.add(id);
  const own = new Set(calls.map(({ id }) => id));
  if (own.size === calls.length && own.isDisjointFrom(used)) return answer;
  const malformed: Record<string, string> = {};
  const content = answer.message.content.map((block) => {
    if (block.type !== "tool_use") return block;
    const id = unusedId(block.id, used);
    used.add(id);
    const raw = Object.hasOwn(answer.malformed, block.id) ? answer.malformed[block.id] : undefined;
    if (raw !== undefined) malformed[id] = raw;
    return { ...block, id };
  });
  return { ...answer, message: { ...answer.message, content }, malformed };
}

function unusedId(id: string, used: ReadonlySet<string>): string {
  let own = id;
  for (let count = 2; used.has(own); count += 1) own = `${id}_${count}`;
  return own;
}
