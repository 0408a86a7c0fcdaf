import type { Steps } from "../loop/steps.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import type { ChildOutcome } from "../tools/tool.ts";
import type { TranscriptRecorder } from "../transcript/recorder.ts";
import type { Session } from "./session.ts";
import type { Waits } from "./waits.ts";

/**
 * Steps of an agent in this process. The transcript is the journal: an intent is a line before the effect, the
 * outcome is the ordinary line that the driver writes before the agent goes on.
 */
export function journalSteps(options: {
  agent: ResolvedAgent;
  session: Session;
  recorder: TranscriptRecorder;
  waits: Waits;
  signal: AbortSignal;
}): Steps {
  const { agent, session, recorder, waits, signal } = options;
  return {
    async run(key, { repeatable }, work) {
      if (!repeatable) recorder.intend(key, session.clock.now());
      return work();
    },
    async child(key, request, toolUseId) {
      recorder.intend(key, session.clock.now());
      return waits.during("child", async () => {
        const asker = { id: agent.id, toolUseId, signal };
        const child = await session.spawnChild(request, asker);
        const result = await child.ended;
        const { type, costs, relates } = child.agent;
        // As the child said it, not as it was written down: this is what a model reads.
        const content = (child.takeWords() ?? result.content)
          .slice(0, session.limits.resultCharacters)
          .toWellFormed();
        return {
          agentId: child.agent.id,
          type,
          prompt: request.prompt ?? "",
          model: session.model.scripted ? `${session.model.provider}/${costs.model}` : costs.model,
          modelFrom: costs.modelFrom,
          oneShot: relates.oneShot,
          background: relates.background,
          result: { ...result, content },
        } satisfies ChildOutcome;
      });
    },
    wait: (_key, reason, arrival) => waits.during(reason, arrival),
    now: () => session.clock.now(),
    random: () => Math.random(),
  };
}
