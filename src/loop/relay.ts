/** The means by which work emits events. */
export interface Report<Event> {
  /** Emits an event, in order. Never waits. */
  readonly emit: (event: Event) => void;
  /** Resolves when the reader has handled every emitted event and asks for more. */
  readonly told: () => Promise<void>;
}

/**
 * Runs work as a generator that yields the work's events, in order, and returns its result. Every event is yielded
 * before the result or the error. A reader that stops must abort first: `return()` waits for the work to end, so that
 * nothing keeps running unseen.
 */
export async function* relay<Event, Result>(
  work: (report: Report<Event>) => Promise<Result>,
): AsyncGenerator<Event, Result> {
  const queue: Event[] = [];
  let isOver = false;
  /** Whether the reader has handled every emitted event, and asks for more. */
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
