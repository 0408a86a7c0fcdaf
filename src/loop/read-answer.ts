import { isText, ModelError, type ModelDelta, type TextDelta } from "../model/model.ts";
import type { LoopContext } from "./loop-context.ts";

/** Reads one answer to its end. Gives up when the model stalls. */
export async function readAnswer<Answer>(
  { limits, signal, clock, grows }: Pick<LoopContext, "limits" | "signal" | "clock" | "grows">,
  start: (signal: AbortSignal) => AsyncGenerator<ModelDelta, Answer>,
  show: (piece: TextDelta) => void,
): Promise<Answer> {
  const silent = new AbortController();
  const message = `The model sent nothing for ${limits.modelStall / 1000} s.`;
  const watch = (): (() => void) =>
    clock.schedule(() => silent.abort(new ModelError("stalled", message)), limits.modelStall);
  let cancel = watch();
  const cut = AbortSignal.any([signal, silent.signal]);
  const arriving = start(cut);
  try {
    for (;;) {
      const step = await arriving.next();
      if (step.done === true) return step.value;
      // Nothing is shown after the end.
      cut.throwIfAborted();
      cancel();
      cancel = watch();
      const { value } = step;
      if (isText(value)) show(value);
      else if (value.type === "alive") grows();
    }
  } finally {
    cancel();
    await arriving.return(undefined as never);
  }
}
