/** How work tells what happens. */
export interface Report<Event> {
  /** Hands an event over, in order. Never waits. */
  readonly emit: (event: Event) => void;
  /** Resolves when everything handed over so far was taken: the reader has dealt with it and asks for more. */
  readonly told: () => Promise<void>;
}

/**
 * Runs work that reports as a generator that yields those reports, in order, and returns the work's result. Everything
 * emitted is yielded before the result or the error comes out. A reader that breaks off aborts first: `return()` waits for
 * the work to end, so that nothing is left running behind the reader's back.
 */
export async function* relay<Event, Result>(
  work: (report: Report<Event>) => Promise<Result>,
): AsyncGenerator<Event, Result> {
  const queue: Event[] = [];
  let isOver = false;
  /** The reader has dealt with everything that was emitted, and asks for more. */
  let isAsking = false;
  let news = Promise.withResolvers<void>();
  let asked = Promise.withResolvers<void>();
  const report: Report<Event> = {
    emit: (event) => {
      if (isOver) return;
      queue.push(event);
      isAsking = false;
      news.resolve();
    },
    told: async () => {
      if (!isOver && !isAsking) await asked.promise;
    },
  };
  const end = (): void => {
    isOver = true;
    news.resolve();
    asked.resolve();
  };
  const outcome = work(report);
  outcome.then(end, end);
  try {
    for (;;) {
      for (let event = queue.shift(); event !== undefined; event = queue.shift()) yield event;
      if (isOver) return await outcome;
      isAsking = true;
      asked.resolve();
      asked = Promise.withResolvers();
      await news.promise;
      news = Promise.withResolvers();
    }
  } finally {
    end();
    await outcome.catch(() => undefined);
  }
}
