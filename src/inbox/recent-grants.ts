import type { Given } from "./reach.ts";

/** Grants made while a question is on its way to a person, which may already answer it. They are kept no longer. */
export class RecentGrants {
  readonly #followers = new Set<Given[]>();

  /** Every grant from now until this is disposed. */
  follow(): Disposable & { readonly given: readonly Given[] } {
    const given: Given[] = [];
    this.#followers.add(given);
    return { given, [Symbol.dispose]: () => void this.#followers.delete(given) };
  }

  note(given: Given): void {
    for (const follower of this.#followers) follower.push(given);
  }
}
