import { compound } from "./compounds.ts";
import { draft, endOfLine, type Draft } from "./draft.ts";
import { mutate } from "./mutate.ts";
import { plainCommand } from "./plain-commands.ts";
import { randomOf, type Random } from "./random.ts";
import { smuggled } from "./smuggling/smuggle.ts";

/** The command with this number: the same for the same seed, on every machine. */
export function generateCommand(seed: number, index: number): { command: string } {
  return { command: smuggledCommand(randomOf(seed, index)) };
}

/** A command of allowed programs, one that hides what is not allowed, or either after an accident. */
export function smuggledCommand(random: Random): string {
  const kind = random.pick(kinds);
  if (kind === "plain") return plain(random);
  if (kind === "hostile") return hostile(random);
  return mutate(random.chance(0.4) ? plain(random) : hostile(random), random);
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
  return random.chance(0.002) ? `good1 ${"a".repeat(10_000)}\n${text}` : text;
}

function whole(random: Random, write: (own: Draft) => string): string {
  const own = draft(random);
  const text = write(own);
  return own.bodies.length === 0 ? text : `${text}${endOfLine(own)}`;
}
