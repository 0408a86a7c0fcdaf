import type { PathPair } from "../../policy.ts";
import type { BashView } from "../view.ts";

/** Whether a path lies where git keeps what is in the files that it tracks, packed but for everybody to unpack. */
export function isInGitStore({ given, real }: PathPair): boolean {
  return store.test(given) || store.test(real);
}

const store = /(?:^|\/)[^/]*\.git(?:\/.+)?\/(?:objects|lost-found)(?:\/|$)/i;

/** Programs that show names and sizes alone. */
const listers = /^(?:git|ls|du|df|stat|find|tree|file|readlink|realpath|test|\[)$/;

/** The part of a command that may show what git keeps; `undefined`: none does. */
export function partInGitStore(bash: BashView): string | undefined {
  const read = bash.touched.find(({ pair, effect, program, isWhole }) => {
    if (isWhole === true && program === "mv" && /\.git$/i.test(pair.given)) return true;
    return effect === "read" && !listers.test(program ?? "") && isInGitStore(pair);
  });
  return (read ?? [...bash.mentioned, ...(bash.shown ?? [])].find(({ pair }) => isInGitStore(pair)))
    ?.part;
}
