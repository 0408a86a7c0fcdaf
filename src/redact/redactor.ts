import { environmentSecrets, spellings } from "./environment-secrets.ts";
import { ownExpression } from "./own-patterns.ts";
import { redactDeep } from "./redact-deep.ts";
import { Search } from "./search.ts";

export interface RedactorOptions {
  /** Environment; the values of variables that look secret are redacted. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Additional secrets. */
  readonly extra?: {
    /** Regular expressions without an `ownPatternProblem`. */
    readonly patterns?: readonly string[];
    readonly values?: readonly string[];
  };
  readonly enabled?: boolean;
}

/**
 * Redacts secrets in stored or emitted texts. Neither method throws. Redacting twice changes nothing more; a value
 * without secrets is returned unchanged.
 */
export interface Redactor {
  readonly text: (value: string) => string;
  /** Redacts all strings of plain data, names of fields too; never changes its argument. */
  readonly deep: <Value>(value: Value) => Value;
  /**
   * Secrets that contain blanks, for callers that cut a text; `lines`: whether secrets of any form may occur in a line.
   */
  readonly spread: { readonly texts: readonly string[]; readonly lines: boolean };
}

export function createRedactor(options: RedactorOptions = {}): Redactor {
  if (options.enabled === false) return openRedactor;
  const { env = {}, extra = {} } = options;
  const values = (extra.values ?? []).filter((value) => value !== "");
  const needles = [
    ...environmentSecrets(env),
    // A short value is matched as it is; its other spellings could be anything.
    ...values.flatMap((text) => [{ name: "value", text }, ...spellings("value", text)]),
  ];
  const own = (extra.patterns ?? []).map(ownExpression);
  const search = new Search(needles, own);
  const text = (value: string): string => search.replace(value);
  return {
    text,
    deep: (value) => redactDeep(value, text),
    spread: {
      texts: needles.map((needle) => needle.text).filter((one) => /\s/.test(one)),
      lines: own.length > 0,
    },
  };
}

/** A redactor that changes nothing. */
export const openRedactor: Redactor = {
  text: (value) => value,
  deep: (value) => value,
  spread: { texts: [], lines: false },
};
