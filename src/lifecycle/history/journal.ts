import type { Steps } from "../../loop/steps.ts";
import type { ResolvedAgent } from "../../contract/resolved-agent.ts";
import type { ChildOutcome } from "../../tools/tool.ts";
import type { TranscriptRecorder } from "../../transcript/recorder.ts";
import type { RunningAgent } from "../running-agent.ts";
import type { Session } from "../session.ts";
import type { Waits } from "../time/waits.ts";

/**
 * Steps of an agent in this process. The transcript is the journal: an intent is a line before the effect, the outcome
 * is the ordinary line that the driver writes before the agent proceeds.
 */
export function journalSteps(options: {
  agent: ResolvedAgent;
  session: Session;
  recorder: TranscriptRecorder;
  waits: Waits;
  signal: AbortSignal;
  /** Calls that an earlier process had begun: their agents may exist already. */
  begun: ReadonlySet<string>;
}): Steps {
  const { agent, session, recorder, waits, signal } = options;
  const begun = new Set(options.begun);
  const announced = async (key: string): Promise<void> => {
    recorder.intend(key, session.clock.now());
    await session.disk?.sync(recorder.path);
  };
  return {
    run: (key, { repeatable }, work) => (repeatable ? work() : announced(key).then(work)),
    async child(key, request, toolUseId) {
      await announced(key);
      const asker = { id: agent.id, toolUseId, signal };
      const known = begun.delete(toolUseId)
        ? await session.family.childOf(asker, { resume: true })
        : undefined;
      const child = known ?? (await session.family.spawn(request, asker));
      if (!child.isBackground)
        await waits.during("child", () => Promise.race([child.ended, child.movedToBackground]));
      return outcomeOf(child, request.prompt ?? "", session);
    },
    async earlierChild(request, toolUseId) {
      if (!begun.delete(toolUseId)) return undefined;
      const asker = { id: agent.id, toolUseId, signal };
      const child = await session.family.childOf(asker, { resume: false });
      return child && outcomeOf(child, request.prompt ?? "", session);
    },
    wait: (_key, reason, arrival) => waits.during(reason, arrival),
    now: () => session.clock.now(),
    random: () => Math.random(),
  };
}

async function outcomeOf(
  child: RunningAgent,
  prompt: string,
  { models, limits, paths }: Session,
): Promise<ChildOutcome> {
  const { id: agentId, type, description, costs, relates } = child.agent;
  const model = models.for(child.agent);
  const facts = {
    agentId,
    type,
    description,
    prompt,
    model: model.scripted ? `${model.provider}/${costs.model}` : costs.model,
    modelFrom: costs.modelFrom,
    oneShot: relates.oneShot,
    background: child.isBackground,
  };
  if (child.isBackground)
    return { ...facts, kind: "launched", outputFile: paths.taskOutput(agentId) };
  const result = await child.ended;
  // The model reads the child's unredacted words, not the stored ones.
  const words = child.takeWords() ?? result.content;
  const content = words.slice(0, limits.resultCharacters).toWellFormed();
  return { ...facts, kind: "ended", result: { ...result, content } };
}
