import { join } from "node:path";
import { opaqueText } from "./shell/opaque.ts";
import type { BashView } from "./bash/view.ts";
import { movesDirectories } from "./bash/accepted-edit.ts";
import { unwrapped } from "./bash/forms.ts";
import { withoutQuoting } from "./bash/git/git-input.ts";
import { mayMakeLinks } from "./bash/files/link-makers.ts";
import { coverage, coversAll, type Coverage } from "./bash/coverage.ts";
import { isAboutFiles, mayChange, ruleFamily } from "../tools/traits.ts";
import type { ViewedCall } from "./call.ts";
import { isConfinedOut, isOutsideMemory } from "./confine.ts";
import { criticalRemoval } from "./critical-removal.ts";
import type { Decision } from "./decision.ts";
import { matchesDomain, namesHost } from "./rules/domain.ts";
import { forbidMatch, namesType } from "./forbid.ts";
import { beyondLooking } from "./read-only.ts";
import { ownSecrets } from "./own-secrets.ts";
import { ruleForPath } from "./rules/path-rule.ts";
import type { PathPair, Rulebook } from "./policy.ts";
import { mentionsProtected, namesProtected } from "./protected.ts";
import { privateHostOf } from "./rules/private-host.ts";
import { isAbout, type Rule } from "./rules/rule.ts";
import { shownPart } from "./shown-part.ts";

/** Verdict of one stage. */
export type Finding = Pick<Decision, "verdict" | "reason"> & Partial<Decision>;

interface Stage {
  /** Name in a trace. */
  readonly name: string;
  readonly look: (call: ViewedCall, book: Rulebook) => Finding | null;
}

/** The order of a decision. The first stage that says something has the last word. */
export const stages: readonly Stage[] = [
  { name: "deny rules", look: denied },
  { name: "Retinue's own secrets", look: ownSecrets },
  { name: "what the agent is confined to", look: confined },
  { name: "ask rules", look: asked },
  { name: "questions to a person", look: questions },
  { name: "removal of critical paths", look: criticalRemoval },
  { name: "mode bypassPermissions", look: bypassed },
  { name: "mode plan", look: planned },
  { name: "protected paths", look: protectedWrites },
  { name: "allow rules", look: allowed },
  { name: "what needs no approval", look: unapproved },
  { name: "everything else", look: otherwise },
];

function denied(call: ViewedCall, book: Rulebook): Finding | null {
  for (const rule of book.deny) {
    const match = forbidMatch(rule, call, book);
    if (match?.certain !== true) continue;
    return {
      verdict: "deny",
      reason: `'${rule.rule}' denies it (${rule.source}).`,
      rule,
      part: match.part,
    };
  }
  return null;
}

function confined(call: ViewedCall, book: Rulebook): Finding | null {
  const reason = isConfinedOut(call, book) ?? isOutsideMemory(call, book);
  if (reason !== null) return { verdict: "deny", reason };
  const found = book.policy.confined
    .filter((one) => "readOnly" in one)
    .flatMap(({ readOnly }) => beyondLooking(readOnly, call, book) ?? []);
  return found.find(({ verdict }) => verdict === "deny") ?? found[0] ?? null;
}

/** Ask rules, and deny rules that may be about the call: what only running would tell, a person decides. */
function asked(call: ViewedCall, book: Rulebook): Finding | null {
  for (const rule of [...book.deny, ...book.ask]) {
    const match = forbidMatch(rule, call, book);
    if (match === null) continue;
    const reason = match.certain
      ? `'${rule.rule}' wants it to be asked (${rule.source}).`
      : `${whyUncertain(call)} whether '${rule.rule}' matches it (${rule.source}).`;
    return { verdict: "ask", reason, rule, part: match.part };
  }
  return null;
}

function whyUncertain({ bash }: ViewedCall): string {
  if (bash?.read.readable !== false) return "Only running it would tell";
  return `It is ${opaqueText(bash.read.opaque)}, so only running it would tell`;
}

function questions({ effect }: ViewedCall): Finding | null {
  return effect === "question"
    ? { verdict: "ask", reason: "A person answers questions, nobody else." }
    : null;
}

function bypassed(_: ViewedCall, { policy }: Rulebook): Finding | null {
  return policy.mode === "bypassPermissions"
    ? { verdict: "allow", reason: "The mode bypassPermissions allows it." }
    : null;
}

function planned({ tool, effect }: ViewedCall, { policy }: Rulebook): Finding | null {
  if (policy.mode !== "plan" || !mayChange(effect)) return null;
  return {
    verdict: "deny",
    reason: `${tool} can change something, and this agent only plans. Report what should change.`,
  };
}

function protectedWrites(call: ViewedCall, book: Rulebook): Finding | null {
  const written =
    call.effect === "edit"
      ? call.pairs.map((pair) => ({ ...pair, part: null }))
      : (call.bash?.touched ?? [])
          .filter(({ effect }) => effect === "write")
          .map(({ pair, part }) => ({ ...pair, part }));
  const found = written.find((one) => book.isProtected(one));
  const unknown = call.bash?.unknownFiles.find(({ effect }) => effect === "write");
  // Inside a protected directory every word would be the name of a protected file.
  const isWithin = book.isProtected(book.pair(book.ground.cwd));
  const named = call.bash?.named.find(
    ({ pair, isPlain }) =>
      !(isPlain && isWithin) && book.isProtected(pair) && !isInstalledProgram(pair, book),
  );
  const copy = call.bash?.unknownFiles.find(({ into = [] }) => into.some(mayHoldProtected(book)));
  const anywhere = call.bash?.unknownFiles.find(
    ({ effect, leadsAnywhere }) => effect === "write" && leadsAnywhere === true,
  );
  const mentions = call.bash?.mentions.filter(({ word }) => word.isStatic && !isWithin) ?? [];
  const mentioned = mentions.find(({ word }) => mentionsProtected(word.text));
  // From a directory that is not known, any name may be one.
  const placeless = mentions.find(({ isPlaced, isTask }) => !isPlaced && !isTask);
  const texts = [
    call.bash?.command ?? "",
    ...(call.bash?.reach.documents ?? []).map(withoutQuoting),
  ];
  const mayWrite = texts.some(namesProtected)
    ? (unknown ?? named ?? placeless)
    : (named ?? copy ?? anywhere ?? mentioned);
  const part = mayWrite?.part ?? writtenBehindLinks(call.bash);
  if (found === undefined && part !== undefined)
    return {
      verdict: "ask",
      reason: `${shownPart(part)} may write a protected path: programs act on it by themselves. No rule allows that.`,
      part,
    };
  if (found === undefined) return null;
  const reason = `${found.given} is protected: programs act on it by themselves. No rule allows writing it.`;
  return { verdict: "ask", reason, part: found.part };
}

/** A part that writes where a link may lead that another part has made. */
function writtenBehindLinks(bash: BashView | null): string | undefined {
  if (bash?.makesLinks !== true) return undefined;
  const named = bash.behindLinks.find(({ effect }) => effect === "write");
  // Whatever unpacks or checks out writes names of its own, which nobody looks at.
  const unpacks = (at: number): boolean =>
    bash.reach.runs[at]?.forms.some(({ words }) => mayMakeLinks(words)) === true;
  const unknown = bash.unknownFiles.find(
    ({ effect, at }) =>
      effect === "write" && (at === null || (bash.isBehindLinks(at) && !unpacks(at))),
  );
  return (named ?? unknown)?.part;
}

/** A program of a package that is there already: its name on a command line is there to be run. */
function isInstalledProgram({ given }: PathPair, { ground }: Rulebook): boolean {
  return /\/node_modules\/\.bin\/[^/]+$/.test(given) && ground.isFile(given);
}

/** Whether names in a directory may be protected there. */
function mayHoldProtected(book: Rulebook): (directory: PathPair) => boolean {
  return ({ given, real }) =>
    book.isProtected({ given: join(given, ".git"), real: join(real, ".git") });
}

function allowed(call: ViewedCall, book: Rulebook): Finding | null {
  const rule = book.allow.find(
    (one) => isAbout(one, call.tool, call.effect) && allows(one, call, book),
  );
  // Who only plans runs nothing that might change files, whatever is allowed.
  if (call.bash !== null && book.policy.mode === "plan") return null;
  if (rule !== undefined) return allowedBy(rule);
  const cover = coverageOf(call, book);
  const [first] = cover?.covered === true ? cover.by : [];
  if (first === undefined) return null;
  return computedFile(call.bash) ?? { ...allowedBy(first), ...treeUse(call, cover) };
}

/** A written file whose name the line computes: it may be protected, and only a rule for all of Bash is for any file. */
function computedFile(bash: BashView | null): Finding | null {
  const found = bash?.unknownFiles.find(
    ({ effect, isComputed }) => effect === "write" && isComputed === true,
  );
  if (found === undefined) return null;
  const reason = `${shownPart(found.part)} writes a file whose name only running it would tell. Name the file: only the rule 'Bash' allows any.`;
  return { verdict: "ask", reason, part: found.part };
}

function allowedBy(rule: Rule): Finding {
  return { verdict: "allow", reason: `'${rule.rule}' allows it (${rule.source}).`, rule };
}

/** Whether one allow rule is enough. Of commands, only one for all of Bash is: their parts have rules of their own. */
function allows(rule: Rule, call: ViewedCall, book: Rulebook): boolean {
  // All of the web is not what lies behind it.
  if (privateHostOf(call) !== null)
    return rule.specifier !== null && namesHost(rule.specifier, call.input["url"]);
  if (rule.specifier === null) return true;
  if (call.tool === "Agent") return namesType(rule.specifier, call);
  if (call.tool === "WebFetch") return matchesDomain(rule.specifier, call.input["url"]);
  const namesFiles = isAboutFiles(call.effect) && call.pairs.length > 0;
  return namesFiles && call.pairs.every((pair) => book.fits(rule, pair));
}

function unapproved(call: ViewedCall, book: Rulebook): Finding | null {
  const { policy } = book;
  const says = (reason: string): Finding => ({ verdict: "allow", reason });
  // Calls of a child are decided when the child makes them.
  if (call.effect === "none") return says(`${call.tool} needs no approval.`);
  const isKnown = call.pairs.length > 0;
  if (isKnown && call.pairs.every((pair) => book.isInMemory(pair)))
    return says("It is in the agent's own memory.");
  if (call.effect === "read" && isKnown && call.pairs.every((pair) => book.isReadable(pair)))
    return says("Reading inside the working directories needs no approval.");
  if (policy.mode === "acceptEdits" && call.effect === "edit" && isKnown) {
    if (call.pairs.every((pair) => book.isInside(pair) && !book.isOption(pair)))
      return says("The mode acceptEdits allows it.");
  }
  const cover = coverageOf(call, book);
  return cover?.covered === true
    ? {
        ...says("Every part of it needs no approval."),
        confinedTo: policy.mode === "acceptEdits" ? "edit" : "look",
        ...treeUse(call, { ...cover, reliesOnPaths: true }),
      }
    : null;
}

/** Rules answer for what they approve; whatever was approved by its paths relies on them. */
function treeUse({ bash, input }: ViewedCall, cover: Coverage | null): Pick<Decision, "tree"> {
  if (bash?.read.readable !== true || cover?.covered !== true || !cover.reliesOnPaths) return {};
  const { commands, runsOn } = bash.read.shell;
  // A command that goes on keeps nobody waiting: a rule lets it move what it moves.
  const goesOn = runsOn || input["run_in_background"] === true;
  const moves = !goesOn && commands.some((one) => movesDirectories(unwrapped(one).words));
  return { tree: { moves, runsOn: cover.reliesOnwards } };
}

const coverages = new WeakMap<ViewedCall, Coverage>();

/** Three stages ask for it, of the same book. */
function coverageOf(call: ViewedCall, book: Rulebook): Coverage | null {
  if (call.bash === null) return null;
  const { read } = call.bash;
  const runsOn = call.input["run_in_background"] === true || (read.readable && read.shell.runsOn);
  const known = coverages.get(call) ?? newCoverage(call.bash, runsOn, book);
  coverages.set(call, known);
  return known;
}

function newCoverage(bash: BashView, runsOn: boolean, book: Rulebook): Coverage {
  const isPlan = book.policy.mode === "plan";
  const rules = isPlan
    ? []
    : book.allow.filter((rule) => isAbout(rule, "Bash") && !coversAll(rule));
  const edits = isPlan ? [] : book.allow.filter((rule) => isAbout(rule, "Edit"));
  return coverage(bash, { rules, edits, builtIn: true, runsOn }, book);
}

function otherwise(call: ViewedCall, book: Rulebook): Finding {
  const cover = coverageOf(call, book);
  if (cover !== null && !cover.covered) {
    const { part, why, rules } = cover;
    // No rule would help.
    if (book.policy.mode === "plan")
      return {
        verdict: "ask",
        reason: `${shownPart(part)} may change something, and this agent only plans.`,
        part,
      };
    return {
      verdict: "ask",
      reason: `${shownPart(part)} needs approval: ${why}.`,
      part,
      suggestions: rules,
    };
  }
  const host = privateHostOf(call);
  if (host !== null) {
    const reason = `${host} is not a public address: only a rule that names it allows it.`;
    return { verdict: "ask", reason, suggestions: suggestionsFor(call) };
  }
  const outside = call.pairs.find((pair) => !book.isInside(pair));
  const why =
    outside === undefined
      ? `No rule allows ${call.tool} here.`
      : `${outside.given} is outside the working directory.`;
  const rules = suggestionsFor(call);
  const isWide = call.pairs.some(({ real }) => isDirectory(real, book));
  if (!isWide || rules.length === 0) return { verdict: "ask", reason: why, suggestions: rules };
  const reason = `${why} A rule for a directory is about all files below it: ${rules.join(", ")}.`;
  return { verdict: "ask", reason, suggestions: [] };
}

function isDirectory(path: string, { ground }: Rulebook): boolean {
  return ground.exists(path) && !ground.isFile(path);
}

/** The rules that together allow this call, and of a directory also all that lies in it. */
function suggestionsFor(call: ViewedCall): string[] {
  const { tool, pairs } = call;
  if (tool === "WebFetch") {
    const host = URL.parse(String(call.input["url"]))?.hostname ?? "";
    // A star would make it a rule for other hosts.
    return host === "" || host.includes("*") ? [] : [`WebFetch(domain:${host})`];
  }
  const kind = ruleFamily(call.effect);
  if (kind === null || pairs.length === 0) return [tool];
  const paths = new Set(pairs.flatMap(({ given, real }) => [given, real]));
  const rules = [...paths].map((path) => ruleForPath(kind, path));
  return rules.includes(null) ? [] : rules.filter((rule) => rule !== null);
}
