import type { PermissionPolicy } from "../contract/resolved-agent.ts";
import { realGround } from "./ground.ts";
import { isOwnSecret } from "./own-secrets.ts";
import { Rulebook } from "./policy.ts";
import { isAbout } from "./rules/rule.ts";

/** Whether searches must keep a path to themselves; nothing where none is to be kept. */
export function hiddenFromSearches(
  policy: PermissionPolicy,
): ((path: string) => boolean) | undefined {
  const book = new Rulebook(policy, () => [], realGround(policy.cwd));
  const rules = [...book.deny, ...book.ask].filter(
    (rule) => rule.specifier !== null && isAbout(rule, "Read"),
  );
  if (rules.length === 0 && policy.state.length === 0) return undefined;
  return (path) => {
    const pair = book.pair(path);
    if (isOwnSecret(pair.given, policy.state) || isOwnSecret(pair.real, policy.state)) return true;
    return rules.some((rule) => book.fits(rule, pair));
  };
}
