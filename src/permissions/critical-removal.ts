import type { ViewedCall } from "./call.ts";
import type { Rulebook } from "./policy.ts";
import { isCritical } from "./protected.ts";
import type { Finding } from "./stages.ts";

/** `rm` and `rmdir` of what nobody means to lose are always asked about, wherever the command stands. */
export function criticalRemoval({ bash }: ViewedCall, book: Rulebook): Finding | null {
  if (bash === null) return null;
  const { ground, policy } = book;
  for (const { words } of bash.reach.runs.flatMap(({ forms }) => forms)) {
    const [name, ...args] = words;
    if (name?.text !== "rm" && name?.text !== "rmdir") continue;
    const critical = args.find((word) => {
      if (word.isUnderVariable) return true;
      const pairs = bash.pairsOf(word) ?? [];
      return pairs
        .flatMap(({ given, real }) => [given, real])
        .some((path) =>
          [ground.cwd, policy.cwd].some((cwd) => isCritical(path, { cwd, home: ground.home })),
        );
    });
    if (critical === undefined) continue;
    const part = words.map(({ text }) => text).join(" ");
    const reason = `It would remove '${critical.text}'. No rule and no mode allows that.`;
    return { verdict: "ask", reason, part };
  }
  return null;
}
