import { widerRules, whyNoRule } from "../bash/wider-rules.ts";
import { viewCall, type Call } from "../call.ts";
import { decide } from "../decide.ts";
import type { Decision } from "../decision.ts";
import type { Rulebook } from "../policy.ts";

/** Rules that a person could add so that the call runs unasked. Each answer was decided again with its rules. */
export interface WouldAllow {
  readonly rules: readonly string[];
  /** Rules that would allow the call, or the reason why there are none. */
  readonly note: string | null;
}

/** `bookWith`: the rules that the decision was made on, and these. Needs the parser, as `decide` does. */
export function wouldAllow(
  { verdict, suggestions }: Decision,
  call: Call,
  bookWith: (rules: readonly string[]) => Rulebook,
): WouldAllow {
  const allows = (rules: readonly string[]): boolean =>
    decide(bookWith(rules), call, { canAsk: true }).verdict === "allow";
  if (verdict === "allow") return none;
  if (suggestions.length > 0 && allows(suggestions)) return { rules: suggestions, note: null };
  const { bash } = viewCall(call, bookWith([]).ground);
  // Where not even all of Bash is enough, the reason says what comes before rules that allow.
  if (bash === null || !allows(["Bash"])) return none;
  const wider = widerRules(bash);
  if (!allows(wider))
    return { rules: [], note: `no rule but Bash, which allows every command: ${whyNoRule(bash)}` };
  const needed = wider.reduce((rules, rule) => {
    const others = rules.filter((one) => one !== rule);
    return allows(others) ? others : rules;
  }, wider);
  const more = needed.some((rule) => rule.includes("*"))
    ? "* stands for any words"
    : "~ may stand in quotes or be the home directory";
  return { rules: needed, note: `these allow more than this call: ${more}` };
}

const none: WouldAllow = { rules: [], note: null };
