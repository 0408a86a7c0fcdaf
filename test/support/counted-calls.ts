import type { Model } from "../../src/index.ts";

/** A provider that counts the calls of each answer from 0, so that the ids of one conversation repeat. */
export function countedCalls(model: Model): Model {
  return {
    provider: model.provider,
    scripted: model.scripted,
    async *stream(request, signal) {
      const answer = yield* model.stream(request, signal);
      let calls = 0;
      const content = answer.message.content.map((block) =>
        block.type === "tool_use" ? { ...block, id: `call_${calls++}` } : block,
      );
      return { ...answer, message: { ...answer.message, content } };
    },
  };
}
