import type { ReadOnly } from "../contract/resolved-agent.ts";
import { coverage, mayMisleadGit } from "./bash/coverage.ts";
import { mayChange } from "../tools/traits.ts";
import type { ViewedCall } from "./call.ts";
import type { Decision } from "./decision.ts";
import { Rulebook } from "./policy.ts";
import { isAbout } from "./rules/rule.ts";
import { shownPart } from "./shown-part.ts";

/**
 * Why a call is more than looking; `null`: it only looks. Which places it looks at is decided like every call's. What the mode
 * accepts does not count, because none makes a read-only agent write. `unless-allowed`: a command may also run by rules that
 * name it; any other is asked about.
 */
export function beyondLooking(
  readOnly: ReadOnly,
  call: ViewedCall,
  book: Rulebook,
): (Pick<Decision, "verdict" | "reason"> & Partial<Decision>) | null {
  const { tool, effect, bash } = call;
  if (mayChange(effect))
    return {
      verdict: "deny",
      reason: `The agent's definition is read-only, so ${tool} is not for it. Report what should change.`,
    };
  if (bash === null) return null;
  const isOpen = readOnly === "unless-allowed";
  const rules = isOpen ? book.allow.filter((rule) => isAbout(rule, "Bash")) : [];
  const anywhere = new Rulebook(
    { ...book.policy, mode: "default", directories: ["/"], trusted: true },
    () => [],
    { ...book.ground, findsRepositoryOf: () => true },
  );
  const cover = coverage(bash, { rules, edits: [], builtIn: true }, anywhere);
  if (cover.covered) {
    const isGit = bash.texts.some(({ words: [name] }) => name?.text === "git");
    if (!isGit || !mayMisleadGit(book)) return null;
    const reason = book.policy.trusted
      ? "git acts on what the repository here configures, and it is not the one of the trusted folder."
      : "git acts on what this folder configures, and the folder is not trusted.";
    return { verdict: "ask", reason };
  }
  const { part, why } = cover;
  const only = `The agent's definition confines Bash to commands that only look`;
  const shown = shownPart(part);
  return isOpen
    ? {
        verdict: "ask",
        reason: `${only} and those that a rule allows; ${shown} is neither.`,
        part,
        suggestions: cover.rules,
      }
    : {
        verdict: "deny",
        reason: `${only}; ${shown} does more, or may: ${why}. Report what is missing.`,
        part,
      };
}
