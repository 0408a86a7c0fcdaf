import { isInside } from "../../platform/files/is-inside.ts";
import type { Ground } from "../ground.ts";
import { literalWord } from "../shell/shell-word.ts";
import { fileUse } from "./files/file-use.ts";
import type { Form } from "./forms.ts";
import type { BashView } from "./view.ts";

/**
 * Whether a part moves a directory in which another part may run. Relative paths, and `..` above all, then lead elsewhere than
 * the disk of before says. A removed directory leads nowhere, so that removals do no harm.
 */
export function mayMovePlace(bash: BashView, ground: Ground): boolean {
  const words = bash.reach.runs.flatMap(({ forms }) => forms.flatMap(moved));
  const places = words.length === 0 ? null : bash.pairsOf(literalWord("."));
  // Where the places cannot be told, no relative path is known.
  if (places === null) return false;
  const areThere = places.every(({ given }) => ground.exists(given));
  const ends = places.flatMap(({ given, real }) => [given, real]);
  return words.some((word) => {
    // A star may find a directory that the line has made.
    const pairs = word.hasGlob && !areThere ? null : bash.pairsOf(word);
    if (pairs === null) return bash.leavesDirectory;
    return pairs
      .flatMap(({ given, real }) => [given, real])
      .some((directory) => ends.some((end) => isInside(directory, end)));
  });
}

function moved(form: Form): Form["words"] {
  const isRemoval = /(?:^|\/)g?(?:rm|rmdir|trash)$/.test(form.words[0]?.text ?? "");
  return isRemoval ? [] : (fileUse(form).whole ?? []);
}
