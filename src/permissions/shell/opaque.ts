/** The first place of a command that is not readable shell. */
export interface Opaque {
  /** The text there, or its name: `$'…'`. */
  readonly what: string;
  readonly line: number;
  readonly column: number;
  /** How to say the same in readable shell; empty where nothing short does. */
  readonly remedy: string;
}

/** The text around the place, on its line. */
export function opaquePart(command: string, { line, column }: Opaque): string {
  const text = command.split("\n", line).at(-1) ?? "";
  return text.slice(Math.max(0, column - 41), column + 39).toWellFormed();
}

/** `opaque: $'…' at 1:12 (write the text in '…')` */
export function opaqueText({ what, line, column, remedy }: Opaque): string {
  const hint = remedy === "" ? "" : ` (${remedy})`;
  return `opaque: ${what} at ${line}:${column}${hint}`;
}
