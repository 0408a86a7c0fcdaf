import { environmentSecrets, spellings } from "./environment-secrets.ts";
import { ownExpression } from "./own-patterns.ts";
import { redactDeep } from "./redact-deep.ts";
import { Search } from "./search.ts";

export interface RedactorOptions {
  /** Values of variables that look secret are redacted. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What else is secret. */
  readonly extra?: {
    /** Regular expressions that `ownPatternProblem` finds nothing wrong with. */
    readonly patterns?: readonly string[];
    readonly values?: readonly string[];
  };
  readonly enabled?: boolean;
}

/**
 * Takes secrets out of what is written down or told. Neither method throws. Redacting twice changes nothing more; what has
 * no secret in it comes back as the same value.
 */
export interface Redactor {
  readonly text: (value: string) => string;
  /** All strings of plain data, names of fields too; what it is given is never changed. */
  readonly deep: <Value>(value: Value) => Value;
  /** For whoever has to cut a text: secrets with blanks in them, and whether there may be others of any form in a line. */
  readonly spread: { readonly texts: readonly string[]; readonly lines: boolean };
}

export function createRedactor(options: RedactorOptions = {}): Redactor {
  if (options.enabled === false) return openRedactor;
  const { env = {}, extra = {} } = options;
  const values = (extra.values ?? []).filter((value) => value !== "");
  const needles = [
    ...environmentSecrets(env),
    // A short value is searched for as it stands; its other spellings could be anything.
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

/** Changes nothing. */
export const openRedactor: Redactor = {
  text: (value) => value,
  deep: (value) => value,
  spread: { texts: [], lines: false },
};
