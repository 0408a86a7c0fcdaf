import { compound } from "./compounds.ts";
import { draft, endOfLine, type Draft } from "./draft.ts";
import { mutate } from "./mutate.ts";
import { plainCommand } from "./plain-commands.ts";
import { randomOf, type Random } from "./random.ts";
import { smuggled } from "./smuggling/smuggle.ts";
import { asksWhereProgramsLie, staysInside } from "./stays-inside.ts";

export interface GeneratedCommand {
  /** `plain`: made of allowed programs, static words and ordinary syntax only, so it ought to be allowed. */
  kind: "plain" | "hostile" | "mutated";
  command: string;
}

/** The command with this number: the same for the same seed, on every machine. */
export function generateCommand(seed: number, index: number): GeneratedCommand {
  const random = randomOf(seed, index);
  const kind = random.pick(kinds);
  if (kind === "plain") return { kind, command: plain(random) };
  if (kind === "hostile") return { kind, command: hostile(random) };
  const mutant = mutate(random.chance(0.4) ? plain(random) : hostile(random), random);
  return staysInside(mutant) && !asksWhereProgramsLie(mutant) && mutant.trim() !== ""
    ? { kind, command: mutant }
    : { kind: "hostile", command: hostile(random) };
}

const kinds = [
  "plain",
  "plain",
  "plain",
  "hostile",
  "hostile",
  "hostile",
  "mutated",
  "mutated",
] as const;

function plain(random: Random): string {
  return whole(random, (own) => compound(own, random.below(4), plainCommand));
}

function hostile(random: Random): string {
  const text = whole(random, (own) => {
    let hidden = 0;
    const leaf = (inner: Draft, depth: number): string => {
      if (random.chance(0.5)) return plainCommand(inner, depth);
      hidden += 1;
      return smuggled(random, 2);
    };
    const written = compound(own, random.below(3), leaf);
    return hidden > 0 ? written : `${written}${endOfLine(own)}${smuggled(random, 2)}`;
  });
  // Longer than any command that is read whole.
  const command = random.chance(0.002) ? `good1 ${"a".repeat(10_000)}\n${text}` : text;
  return staysInside(command) ? command : smuggled(random, 0);
}

function whole(random: Random, write: (own: Draft) => string): string {
  const own = draft(random);
  const text = write(own);
  return own.bodies.length === 0 ? text : `${text}${endOfLine(own)}`;
}
