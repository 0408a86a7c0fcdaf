import type { ShellWord } from "../shell/shell-word.ts";
import type { ViewedCall } from "./call.ts";
import type { Rulebook } from "./policy.ts";
import { isCritical } from "./protected.ts";
import type { Finding } from "./stages.ts";

/** `rm` and `rmdir` of what nobody means to lose are always asked about, wherever the command stands. */
export function criticalRemoval({ bash }: ViewedCall, book: Rulebook): Finding | null {
  if (bash === null) return null;
  const { ground, policy } = book;
  const cwds = [...new Set([ground.cwd, policy.cwd])];
  for (const { words } of bash.reach.runs.flatMap(({ forms }) => forms)) {
    const [name, ...args] = words;
    if (name?.text !== "rm" && name?.text !== "rmdir") continue;
    const critical = distinct(args).find((word) => {
      if (word.isUnderVariable) return true;
      if (word.isStatic && /^-./.test(word.text)) return false;
      const pairs = bash.pairsOf(word) ?? [];
      return pairs
        .flatMap(({ given, real }) => [given, real])
        .some((path) => cwds.some((cwd) => isCritical(path, { cwd, home: ground.home })));
    });
    if (critical === undefined) continue;
    const part = words.map(({ text }) => text).join(" ");
    const reason = `It would remove '${critical.text}'. No rule and no mode allows that.`;
    return { verdict: "ask", reason, part };
  }
  return null;
}

/** The same word again says nothing new. */
function distinct(words: readonly ShellWord[]): ShellWord[] {
  const key = ({ text, hasGlob, belowHome, isUnderVariable }: ShellWord): string =>
    [hasGlob, belowHome, isUnderVariable, text].join(" ");
  return [...new Map(words.map((word) => [key(word), word])).values()];
}
