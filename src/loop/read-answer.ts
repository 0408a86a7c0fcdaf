import type { Usage } from "../contract/message.ts";
import { isText, ModelError, type ModelDelta, type TextDelta } from "../model/model.ts";
import { answerCost } from "../model/prices.ts";
import { withCutOff } from "./cut-off.ts";
import type { LoopContext } from "./loop-context.ts";

interface Taken {
  model: string;
  usage: Usage;
  searches?: number;
}

export type AnswerContext = Pick<LoopContext, "limits" | "signal" | "prices" | "grows"> & {
  readonly report: Pick<LoopContext["report"], "emit">;
};

/** One answer of a model, to its end. Given up when the model falls silent; what it took until then is on the bill. */
export async function readAnswer<Answer extends Taken>(
  { limits, signal, prices, report, grows }: AnswerContext,
  start: (signal: AbortSignal) => AsyncGenerator<ModelDelta, Answer>,
  show: (piece: TextDelta) => void,
): Promise<Answer> {
  const silence = limits.modelStall;
  const stalled = (): Error =>
    new ModelError("stalled", `The model sent nothing for ${silence / 1000} s.`);
  let taken: Taken | undefined;
  try {
    return await withCutOff({ signal, silence, stalled }, async (cut, alive) => {
      const arriving = start(cut);
      try {
        for (;;) {
          const step = await arriving.next();
          if (step.done === true) taken = step.value;
          else if (step.value.type === "usage") taken = step.value;
          // Nothing is shown after the end.
          cut.throwIfAborted();
          if (step.done === true) return step.value;
          alive();
          const { value } = step;
          if (isText(value)) show(value);
          else if (value.type === "alive") grows();
        }
      } catch (error) {
        // Not awaited: a model that does not heed its signal must not hold up anybody.
        arriving.return(undefined as never).catch(() => undefined);
        throw error;
      }
    });
  } catch (error) {
    if (taken !== undefined) {
      const { model, usage, searches = 0 } = taken;
      const costUsd = answerCost(taken, prices);
      const what = "broken-answer";
      report.emit({ type: "spend", what, model, usage, searches, costUsd, durationMs: 0 });
    }
    throw error;
  }
}
