import type { GivenAnswer } from "./reach.ts";

/** Grants made while a question is on its way to a person, which may already answer it. They are kept no longer. */
export class RecentGrants {
  readonly #followers = new Set<GivenAnswer[]>();

  /** Every grant from now until this is disposed. */
  follow(): Disposable & { readonly given: readonly GivenAnswer[] } {
    const given: GivenAnswer[] = [];
    this.#followers.add(given);
    return { given, [Symbol.dispose]: () => void this.#followers.delete(given) };
  }

  note(given: GivenAnswer): void {
    for (const follower of this.#followers) follower.push(given);
  }
}
