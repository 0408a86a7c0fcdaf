import type { ModelRequest } from "../model/model.ts";

/**
 * The last request of an agent to its model. A request that begins with exactly this one is read from the provider's
 * cache, so a summary about the agent is cheap, and the agent does not notice.
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
