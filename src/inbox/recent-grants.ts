import type { Given } from "./reach.ts";

/** What is granted while a question is on its way to a person: it may already be answered by that. Nothing is kept for longer. */
export class RecentGrants {
  readonly #followers = new Set<Given[]>();

  /** Everything that is granted from now until the end of this. */
  follow(): Disposable & { readonly given: readonly Given[] } {
    const given: Given[] = [];
    this.#followers.add(given);
    return { given, [Symbol.dispose]: () => void this.#followers.delete(given) };
  }

  note(given: Given): void {
    for (const follower of this.#followers) follower.push(given);
  }
}
