import type { Random } from "../random.ts";
import { singleQuoted, spell } from "../spelling.ts";
import { allowedStubs, forbiddenStubs } from "../stubs.ts";
import { builtins } from "./builtins.ts";
import { confusions } from "./confusions.ts";
import { expansions } from "./expansions.ts";
import { programs } from "./programs.ts";
import { surroundings } from "./surroundings.ts";
import { syntax } from "./syntax.ts";
import { writes } from "./writes.ts";

export const recipes: readonly (readonly string[])[] = [
  expansions,
  builtins,
  confusions,
  programs,
  surroundings,
  syntax,
  writes,
];

/** A command that runs what is not allowed, or writes, in a way that does not look like it. */
export function smuggled(random: Random, depth: number): string {
  const recipe = random.pick(random.pick(recipes));
  return fill(recipe, hidden(random, depth), random);
}

/** What is to be run: mostly plain, sometimes in another spelling or hidden once more. */
function hidden(random: Random, depth: number): { command: string; name: string } {
  const name = random.pick(forbiddenStubs);
  if (depth > 0 && random.chance(0.25)) return { command: smuggled(random, depth - 1), name };
  const spelled = random.chance(0.2) ? spell(name, random) : name;
  const command = `${spelled}${random.pick(["", " 1", " a b", ' "x y"', " --flag"])}`;
  return { command: random.chance(0.03) ? nested(command, random) : command, name };
}

function fill(recipe: string, hidden: { command: string; name: string }, random: Random): string {
  return recipe
    .replaceAll("«P»", () => hidden.command)
    .replaceAll("«Q»", () => singleQuoted(hidden.command))
    .replaceAll("«N»", () => hidden.name)
    .replaceAll("«G»", () => `${random.pick(allowedStubs)}${random.pick(["", " a", " 'b c'"])}`);
}

const shells: readonly ((inner: string) => string)[] = [
  (inner) => `( ${inner} )`,
  (inner) => `{ ${inner}; }`,
  (inner) => `echo $(${inner})`,
  (inner) => `echo "$(${inner})"`,
  (inner) => `if :; then ${inner}; fi`,
  (inner) => `case a in a) ${inner};; esac`,
];

/** Deep, in one kind of shell or in all of them. */
function nested(command: string, random: Random): string {
  const mixed = random.chance(0.5);
  const only = random.pick(shells);
  let text = command;
  for (let level = random.below(24); level > 0; level -= 1) {
    text = (mixed ? random.pick(shells) : only)(text);
  }
  return text;
}
