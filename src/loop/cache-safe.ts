import type { ModelRequest } from "../model/model.ts";

/**
 * What an agent sent to its model last. A request that begins with exactly this finds it in the provider's cache, so
 * somebody else can ask about the agent for little, and without the agent knowing.
 */
export class CacheSafe {
  #last: ModelRequest | undefined;

  get last(): ModelRequest | undefined {
    return this.#last;
  }

  /** Neither the request nor anything in it is changed afterwards. */
  publish(request: ModelRequest): void {
    this.#last = request;
  }
}
