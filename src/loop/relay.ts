/** How work tells what happens. */
export interface Report<Event> {
  /** Hands an event over, in order. Never waits. */
  readonly emit: (event: Event) => void;
  /** Resolves when everything handed over so far was taken: the reader has dealt with it and asks for more. */
  readonly told: () => Promise<void>;
}

/**
 * Runs work that reports as a generator that yields those reports, in order, and returns the work's result. Everything
 * emitted is yielded before the result or the error comes out.
 */
export async function* relay<Event, Result>(
  work: (report: Report<Event>) => Promise<Result>,
): AsyncGenerator<Event, Result> {
  let queue: Event[] = [];
  /** The reader has come back and there is nothing for it. */
  let idle = false;
  let over = false;
  let wake: (() => void) | undefined;
  let taken: PromiseWithResolvers<void> | undefined;

  const outcome = work({
    emit(event) {
      queue.push(event);
      wake?.();
    },
    told() {
      if (over || (idle && queue.length === 0)) return Promise.resolve();
      taken ??= Promise.withResolvers();
      return taken.promise;
    },
  });
  const settle = (): void => {
    over = true;
    wake?.();
  };
  // The error belongs to `await outcome` below; until then nobody may call it unhandled.
  outcome.then(settle, settle);
  try {
    for (;;) {
      const batch = queue;
      queue = [];
      for (const event of batch) yield event;
      if (queue.length > 0) continue;
      taken?.resolve();
      taken = undefined;
      if (over) return await outcome;
      idle = true;
      await new Promise<void>((resolve) => (wake = resolve));
      idle = false;
    }
  } finally {
    // A reader that breaks off has aborted first, so this ends soon; nothing is left running behind its back.
    over = true;
    taken?.resolve();
    await outcome.catch(() => undefined);
  }
}
