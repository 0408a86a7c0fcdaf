/**
 * Keeps the files of a session where decisions saw them. Commands that needed no approval rely on the paths of the
 * decision until they end. A command that moves or removes directories needs the tree alone: while others rely on it, a
 * person is asked.
 */
export class TreeLock {
  #readers = 0;
  #linkMakers = 0;
  readonly #movers = new Set<Promise<void>>();

  /** Whether a command relies on paths as they are. */
  get isRead(): boolean {
    return this.#readers > 0;
  }

  /** Whether a command moves directories. No decision begins meanwhile. */
  get isMoved(): boolean {
    return this.#movers.size > 0;
  }

  /** Resolves when the commands that move directories have ended. Another one may have begun: check again. */
  async settled(): Promise<void> {
    await Promise.all(this.#movers);
  }

  /** Whether a command in the background may make links. */
  get isLinked(): boolean {
    return this.#linkMakers > 0;
  }

  /** Holds the tree for one command, from its decision to its end. `moves`: alone. */
  hold({ moves, makesLinks = false }: { moves: boolean; makesLinks?: boolean }): TreeHold {
    const release = moves ? this.#move() : this.#read();
    if (!makesLinks) return new TreeHold(release);
    this.#linkMakers += 1;
    return new TreeHold(() => {
      this.#linkMakers -= 1;
      release();
    });
  }

  #read(): () => void {
    this.#readers += 1;
    return () => (this.#readers -= 1);
  }

  #move(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#movers.add(promise);
    return () => {
      this.#movers.delete(promise);
      resolve();
    };
  }
}

/** One command's hold on the tree. Disposing it releases the hold, unless a process of the command runs on. */
export class TreeHold implements Disposable {
  #release: (() => unknown) | undefined;

  constructor(release: () => unknown) {
    this.#release = release;
  }

  /** Keeps the hold until a promise settles, instead of until the end of the call. */
  keepUntil(end: Promise<unknown>): void {
    const release = this.#release;
    this.#release = undefined;
    const letGo = (): unknown => release?.();
    void end.then(letGo, letGo);
  }

  [Symbol.dispose](): void {
    this.#release?.();
    this.#release = undefined;
  }
}
