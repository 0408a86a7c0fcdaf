import type { PermissionPolicy } from "../resolved-agent.ts";
import { realGround } from "./ground.ts";
import { Rulebook } from "./policy.ts";
import { isAbout } from "./rule.ts";

/** Whether searches must keep a path to themselves; nothing where no rule is about any path. */
export function hiddenFromSearches(
  policy: PermissionPolicy,
): ((path: string) => boolean) | undefined {
  const book = new Rulebook(policy, () => [], realGround(policy.cwd));
  const rules = [...book.deny, ...book.ask].filter(
    (rule) => rule.specifier !== null && isAbout(rule, "Read"),
  );
  if (rules.length === 0) return undefined;
  return (path) => {
    const pair = book.pair(path);
    return rules.some((rule) => book.fits(rule, pair));
  };
}
