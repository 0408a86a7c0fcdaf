import { errorMessage } from "../contract/errors.ts";
import { exitCodeOfThrown } from "./exit-codes.ts";
import { plain } from "./terminal/sanitize.ts";

/** The row, in JSON, of something that was asked for and could not be done. */
interface RefusalRow {
  asked: string;
  error: string;
}

/** One of several things that a command was asked for and could not do: it does not keep the others. */
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
