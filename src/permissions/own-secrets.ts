import { relative } from "node:path";
import { linkNames } from "./bash/behind-links.ts";
import { walkedWords } from "./bash/files/walked-directories.ts";
import type { UnknownFiles } from "./bash/seen-files.ts";
import type { BashView } from "./bash/view.ts";
import { mayReadEnvironment } from "./proc-words.ts";
import type { ShellWord } from "./shell/shell-word.ts";
import { isInside } from "../platform/files/is-inside.ts";
import type { PermissionPolicy } from "../contract/resolved-agent.ts";
import { isAboutFiles } from "../tools/traits.ts";
import type { ViewedCall } from "./call.ts";
import type { PathPair, Rulebook } from "./policy.ts";
import { mayNameProtected } from "./protected.ts";
import { shownPart } from "./shown-part.ts";
import type { Finding } from "./stages.ts";

/**
 * Leases hold the token of a session, inboxes what its user is asked, mail what its user has said, grants and trust what its
 * user has allowed. They are the user's word, so no agent touches them: no rule allows it and no mode does. Commands that
 * would walk over them are asked about.
 */
export function ownSecrets(call: ViewedCall, book: Rulebook): Finding | null {
  const files = isAboutFiles(call.effect)
    ? call.pairs.map((pair) => ({ pair, part: null }))
    : [...(call.bash?.touched ?? []), ...(call.bash?.mentioned ?? [])];
  const roots = book.policy.state;
  const found = files.find(({ pair }) => either(pair, (path) => isOwnSecret(path, roots)));
  if (found !== undefined)
    return {
      verdict: "deny",
      reason: `${found.pair.given} is Retinue's own: keys, and what the user says and allows. No agent may read or write it.`,
      part: found.part,
    };
  const { bash } = call;
  const walked = (bash === null ? [] : walkedWords(bash.reach)).find(({ word }) =>
    bash?.likelyPairsOf(word).some((pair) => either(pair, (path) => holdsOwnSecrets(path, roots))),
  );
  const spoken = call.bash?.texts.find(({ words }) => speaksAsUser(words));
  if (spoken !== undefined)
    return {
      verdict: "ask",
      reason: `'${spoken.text}' is the user's word: only a person says it.`,
      part: spoken.text,
    };
  const part =
    walked?.part ??
    (bash === null ? null : (mayReadEnvironment(bash) ?? leadBehindLinks(bash))) ??
    mayTouch(call, book.policy);
  if (part === null) return null;
  return {
    verdict: "ask",
    reason: `${shownPart(part)} may touch the tokens of sessions, and what the user is asked and allows. Grep and Read leave them out.`,
    part,
  };
}

/**
 * A part that goes through a link which the line itself makes: at or below a name that `ln` gives, or by a pattern that finds names
 * of Retinue's own below what is checked out or unpacked.
 */
function leadBehindLinks(bash: BashView): string | null {
  if (!bash.makesLinks) return null;
  const names = linkNames(bash);
  const found = bash.behindLinks.find(
    ({ pair: { given } }) =>
      names.some((name) => isInside(name, given)) || mayNameProtected(given.replaceAll("?", "*")),
  );
  const unknown = names.length === 0 ? undefined : bash.unknownFiles.find(isBehind(bash));
  return (found ?? unknown)?.part ?? null;
}

function isBehind(bash: BashView): (one: UnknownFiles) => boolean {
  return ({ at }) => at === null || bash.isBehindLinks(at);
}

/** Commands of Retinue by which a user trusts, approves or removes something. The command itself refuses agents too. */
function speaksAsUser(words: readonly ShellWord[]): boolean {
  const at = words.findIndex(({ text }) => /(?:^|\/)retinue(?:\.js)?$/.test(text));
  return at !== -1 && words.slice(at + 1).some(({ text }) => /^(?:trust|approve|deny)$/.test(text));
}

/** A part of which not all is known, in a command that names the place. */
function mayTouch(
  { bash }: ViewedCall,
  { state, readable }: Pick<PermissionPolicy, "state" | "readable">,
): string | null {
  if (bash === null) return null;
  const anywhere = bash.unknownFiles.find(({ leadsAnywhere }) => leadsAnywhere === true);
  if (anywhere !== undefined) return anywhere.part;
  const [file] = bash.unknownFiles;
  const [program] = bash.reach.unknown;
  const part = file?.part ?? program ?? (bash.makesLinks ? bash.command : undefined);
  if (part === undefined) return null;
  // The session's own results are there to be read.
  const text = readable.reduce((rest, directory) => rest.replaceAll(directory, ""), bash.command);
  const isNamed = state.some((root) => text.includes(root));
  return isNamed ||
    /CLAUDE_CONFIG_DIR|\benviron\b|\.claude\b|(?<!-)\blease\b|\bretinue\/(?:trust|grants)/.test(
      text,
    )
    ? part
    : null;
}

/** Whether a path is one of them, below one of the directories in which Retinue keeps them; or a process's environment. */
export function isOwnSecret(path: string, roots: readonly string[]): boolean {
  if (/^\/proc\/(?:self|thread-self|\d+)\/(?:task\/\d+\/)?(?:environ|mem)$/.test(path)) return true;
  return belowOf(path, roots).some((below) => secret.test(below));
}

/** A session's directory is named by its id. Leases that are about to be put in place have a suffix. */
const secret =
  /^(?:(?:.*\/)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/(?:lease\.json[^/]*|(?:inbox|mail)(?:\/.*)?)|retinue\/(?:grants|trust)(?:\/.*)?)$/;

/** Directories between Retinue's own and a session's, and those above them; or of processes. */
function holdsOwnSecrets(path: string, roots: readonly string[]): boolean {
  if (/^\/proc(?:\/(?:self|thread-self|\d+)(?:\/task(?:\/\d+)?)?)?$/.test(path)) return true;
  if (roots.some((root) => isInside(path, root))) return true;
  return belowOf(path, roots).some((below) =>
    /^(?:projects(?:\/[^/]+){0,2}|retinue|)$/.test(below),
  );
}

/** In small letters, because some file systems do not tell them apart. */
function belowOf(path: string, roots: readonly string[]): string[] {
  return roots
    .filter((root) => isInside(root, path))
    .map((root) => relative(root, path).toLowerCase());
}

function either({ given, real }: PathPair, holds: (path: string) => boolean): boolean {
  return holds(given) || holds(real);
}
