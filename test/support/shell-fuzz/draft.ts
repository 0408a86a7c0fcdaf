import type { Random } from "./random.ts";

/** A command while it is being written: bodies of here-documents wait for the next end of a line. */
export interface Draft {
  readonly random: Random;
  readonly bodies: string[];
}

export function draft(random: Random): Draft {
  return { random, bodies: [] };
}

/** Ends the line: a newline, and after it the here-documents that were announced on it. */
export function endOfLine({ bodies }: Draft): string {
  return `\n${bodies.splice(0).join("")}`;
}

/** What `write` makes, with its here-documents inside: for texts that have lines of their own, such as substitutions. */
export function enclosed(random: Random, write: (inner: Draft) => string): string {
  const inner = draft(random);
  const text = write(inner);
  return inner.bodies.length === 0 ? text : `${text}${endOfLine(inner)}`;
}

/** Announces a here-document and returns its redirection. */
export function hereDocument(
  { random, bodies }: Draft,
  body: { text: string; quoted: boolean },
): string {
  const mark = random.pick(["EOF", "END", "x1"]);
  const tabs = random.chance(0.2);
  bodies.push(`${tabs ? "\t" : ""}${body.text}\n${tabs ? "\t" : ""}${mark}\n`);
  const written = body.quoted ? random.pick([`'${mark}'`, `"${mark}"`, `\\${mark}`]) : mark;
  return `<<${tabs ? "-" : ""}${random.chance(0.3) ? " " : ""}${written}`;
}
