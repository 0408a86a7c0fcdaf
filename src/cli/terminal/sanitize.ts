/**
 * Text from a model, a tool or a file, made harmless for a terminal: no escape sequences (colours, cursor moves, links,
 * the clipboard), no control characters, nothing that reverses the reading direction.
 *
 * A sequence that never ends loses only its introducer, and its text stays visible: a missing terminator must not be a
 * way to hide the rest of a command.
 */
export function plain(text: string, options: { oneLine?: boolean } = {}): string {
  const harmless = harmlessAlready.test(text)
    ? text
    : text
        .toWellFormed()
        .replace(/\r\n?|[\u2028\u2029]/g, "\n")
        .replace(unsafe, "")
        .replace(tooManyMarks, "$1");
  return options.oneLine === true ? harmless.replace(/\s+/g, " ").trim() : harmless;
}

/** Long enough for any row, short enough to be kept for every agent. */
const longestLine = 300;

/** One harmless line of at most 300 characters, for state that lives as long as the run. */
export function plainLine(text: string, limit: number = longestLine): string {
  // The text is cut first, so that a tool's megabytes are never scanned; most of it is never shown.
  const line = plain(text.slice(0, limit * 8), { oneLine: true });
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}

/** Matches nearly every text, which then needs no further scan. */
const harmlessAlready = /^[\x20-\x7e\n\t]*$/;

// The payload of a string sequence excludes every control character, which also keeps the whole scan linear.
const stringSequence =
  /(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)/u;
const controlSequence = /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]?/u;
const escapeSequence = /\x1b[\x20-\x2f]*[\x30-\x7e]?/u;
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/u;
const direction = /\p{Bidi_Control}/u;

const unsafe = new RegExp(
  [stringSequence, controlSequence, escapeSequence, control, direction]
    .map((pattern) => pattern.source)
    .join("|"),
  "gu",
);

/** No script stacks more; a thousand accents on one letter paint over the neighbouring lines. */
const tooManyMarks = /(\p{M}{8})\p{M}+/gu;
