import { errorMessage } from "../contract/errors.ts";
import { exitCodeOfThrown } from "./exit-codes.ts";
import { plain } from "./terminal/sanitize.ts";

/** The JSON row of a request that could not be met. */
interface RefusalRow {
  asked: string;
  error: string;
}

/** One of several requests of a command that could not be met; the others go through. */
export class Refusal {
  readonly code: number;
  readonly #row: RefusalRow;

  constructor(asked: string, error: unknown) {
    this.code = exitCodeOfThrown(error);
    this.#row = { asked, error: errorMessage(error) };
  }

  toJSON(): RefusalRow {
    return this.#row;
  }

  toString(): string {
    return `retinue: ${plain(this.#row.error)}\n`;
  }
}

/** The first refusal, in request order. */
export function firstRefusal(outcomes: readonly unknown[]): Refusal | undefined {
  return outcomes.find((outcome) => outcome instanceof Refusal);
}
