import { viewCall, type Call, type ViewedCall } from "./call.ts";
import { loadShellParser } from "./shell/parser.ts";
import { shellQuote } from "../platform/shell-quote.ts";
import type { Decision } from "./decision.ts";
import type { Rulebook } from "./policy.ts";
import { privateHostOf } from "./rules/private-host.ts";
import { stages, type Finding } from "./stages.ts";

/**
 * May this call run? The first stage that has something to say decides. `canAsk`: a person can be asked; where not, what would
 * be asked is denied. Changes nothing; looks at the disk only for links and names. Commands need the parser: `loadShellParser`.
 */
export function decide(book: Rulebook, call: Call, options: { canAsk: boolean }): Decision {
  return concluded(firstFinding(book, call), book, call, options);
}

/** One line of a trace: which stage, and what it said. */
export interface TraceLine {
  readonly stage: string;
  readonly finding: Finding | null;
}

/** The same decision with every stage that was asked on the way to it. */
export async function explainDecision(
  book: Rulebook,
  call: Call,
  options: { canAsk: boolean },
): Promise<{ decision: Decision; trace: readonly TraceLine[] }> {
  await loadShellParser();
  const trace: TraceLine[] = [];
  const finding = firstFinding(book, call, (line) => trace.push(line));
  return { decision: concluded(finding, book, call, options), trace };
}

function firstFinding(book: Rulebook, call: Call, note?: (line: TraceLine) => void): Finding {
  const viewed = viewCall(call, book.ground);
  for (const { name, look } of stages) {
    const finding = look(viewed, book);
    note?.({ stage: name, finding });
    if (finding !== null) return { ...finding, ...linksOf(viewed, finding) };
  }
  throw new Error("The last stage always decides.");
}

/** Decisions about other commands must know of links that this one may make meanwhile. */
function linksOf({ bash, input }: ViewedCall, { tree }: Finding): Pick<Finding, "tree"> {
  if (bash?.makesLinks !== true) return {};
  const runsOn = bash.read.readable && bash.read.shell.runsOn;
  if (!runsOn && input["run_in_background"] !== true) return {};
  const use = { moves: false, ...tree, runsOn: runsOn || tree?.runsOn === true };
  return { tree: { ...use, makesLinks: true } };
}

function concluded(
  finding: Finding,
  { policy }: Rulebook,
  call: Call,
  { canAsk }: { canAsk: boolean },
): Decision {
  // The commands of an agent that only looks are held to that, whatever allowed them.
  const looks = policy.confined.some((one) => "readOnly" in one && one.readOnly === true);
  const confinedTo = looks && call.tool === "Bash" && finding.verdict === "allow" ? "look" : null;
  const decision: Decision = {
    rule: null,
    part: null,
    suggestions: [],
    ...finding,
    confinedTo: confinedTo ?? finding.confinedTo ?? null,
  };
  if (decision.verdict !== "ask" || (canAsk && policy.mode !== "dontAsk")) return decision;
  const why =
    policy.mode === "dontAsk" ? "In the mode dontAsk nobody is asked." : "Nobody can be asked.";
  const reason = [decision.reason, why, remedy(call, decision.suggestions)].join(" ").trimEnd();
  return { ...decision, verdict: "deny", reason };
}

/** How a person allows it beforehand. */
function remedy(call: Call, suggestions: readonly string[]): string {
  const { tool } = call;
  if (suggestions.length === 0) return "";
  if (suggestions.includes(tool)) return `Allow it with --allowedTools ${tool}.`;
  const all = privateHostOf(call) === null ? `, all of it with --allowedTools ${tool}` : "";
  return `Allow it with --allowedTools ${shellQuote(suggestions.join(","))}${all}.`;
}
