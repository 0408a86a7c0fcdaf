import { basename } from "node:path";
import type { Policy } from "./engine.ts";
import type { Places } from "./lanes.ts";
import { canaries } from "./scratch.ts";
import type { Observation } from "./slot.ts";
import { allowedStubs, forbiddenStubs, gitStub, lookPrograms, wrapperPrograms } from "./stubs.ts";
import type { Executed, Touched } from "./trace.ts";

/** Every action of a command that the policy allows nobody to do unasked. */
export function harmOf(policy: Policy, seen: Observation, places: Places): string[] {
  const ran = seen.executed.filter((one) => isForbiddenProgram(policy, one, places));
  const touched = seen.touched.filter((one) => isForbiddenFile(policy, one, places));
  return [
    ...new Set([
      ...ran.map(({ path, by }) => `ran ${shown(path, places)} (${by})`),
      ...touched.map(({ effect, path, by }) => `${effect} ${shown(path, places)} (${by})`),
      ...seen.shown
        .filter((canary) => mustStayHidden(policy, canary))
        .map((canary) => `showed ${canary}`),
    ]),
  ].sort();
}

function mustStayHidden({ deny, isBare }: Policy, canary: string): boolean {
  return canary === canaries.outside ? isBare !== true : deny !== undefined;
}

function shown(path: string, { work, stubs, programs }: Places): string {
  const box = work.slice(0, -"/work".length);
  if (path.startsWith(`${stubs}/`) || path.startsWith(`${programs}/`)) return basename(path);
  return path.startsWith(`${box}/`) ? path.slice(box.length + 1) : path;
}

const looks = new Set([...lookPrograms, ...wrapperPrograms]);

function isForbiddenProgram(policy: Policy, one: Executed, places: Places): boolean {
  const { path, by, chain } = one;
  const name = basename(path);
  if (path === `${places.stubs}/${gitStub}` || chain.includes(gitStub))
    return policy.trusted === false;
  // The repository of a trusted folder may start what it names.
  if (chain.includes("git") || path.startsWith("/usr/lib/git-core/")) return false;
  // No rule looks into scripts, nor into programs of other languages.
  const isScripted = chain.some((above) => / script$|^(?:good\d|x\.sh|m?awk|sed|git)$/.test(above));
  if (policy.isBare === true) return name === forbiddenStubs[0] && !isScripted;
  if (path === `${places.stubs}/${name}`) return policy.runs?.includes(name) !== true;
  // A script that a rule allows starts its interpreter.
  if (policy.runs !== undefined && allowedStubs.some((stub) => stub === by)) return false;
  const isEdit = policy.mode === "acceptEdits" && edits.has(name);
  // `command -p` takes the system's own.
  const isKnown = path === `${places.programs}/${name}` || /^(?:\/usr)?\/bin\/[^/]+$/.test(path);
  return !(isKnown && (looks.has(name) || isEdit));
}

const edits = new Set(["mkdir", "touch", "rm", "rmdir", "cp", "mv", "sed"]);

function isForbiddenFile(policy: Policy, one: Touched, places: Places): boolean {
  const { path, effect, by } = one;
  const work = `${places.work}/`;
  const below = path.startsWith(work) ? path.slice(work.length) : null;
  const isDenied =
    policy.deny !== undefined &&
    below !== null &&
    ((effect !== "list" && /^(?:\.env|secrets\/.+)$/.test(below)) ||
      (effect === "write" && below === "kept.txt"));
  if (isDenied) return by !== gitStub && !(effect === "read" && onlyCounts(one));
  if (policy.isBare === true) return false;
  if (path === "/dev/null" || path === "/dev/tty") return false;
  // A script that a rule allows reads and writes as it likes.
  if (policy.runs?.includes(by) === true) return false;
  // A program that a rule allows with any words may be given names from anywhere.
  if (policy.runs !== undefined && one.byBash && effect === "list") return false;
  if (effect === "write") {
    if (below !== null && /^\.git\/index(?:\.lock)?$/.test(below) && by === "git") return false;
    if (policy.mode !== "acceptEdits" || below === null) return true;
    return /^(?:\.git|\.claude|\.ssh|\.vscode)(?:\/|$)|^\.(?:mcp\.json|bashrc|profile|gitconfig|ripgreprc)$/.test(
      below,
    );
  }
  if (below !== null || path === places.work) return false;
  return !isOfSystem(one, places);
}

/** Git that opens files to compare, count or store them, and shows nothing of them. */
function onlyCounts({ by, argv }: Touched): boolean {
  const [command = "", ...args] = argv.slice(1).filter((word) => !/^--(?:no-|literal)/.test(word));
  if (by !== "git") return false;
  if (/^(?:status|add|commit|ls-files)$/.test(command)) return !args.some(isPatch);
  if (!/^(?:diff|show|log)$/.test(command) || args.some(isPatch)) return false;
  return args.some((word) => /^--(?:stat|numstat|shortstat|dirstat|name-|summary)/.test(word));
}

function isPatch(word: string): boolean {
  return /^-\w*[pUuvW]|^--(?:patch|unified|verbose|word-diff|color-words|binary|function)/.test(
    word,
  );
}

/** Programs that turn numbers into the names of users. */
const namers = /^(?:ls|stat|find|id|whoami|git|logname|du|tree|uptime|file|xargs)$/;

/** Files that programs need before they look at any that they are given. */
function isOfSystem({ path, given, by }: Touched, { stubs, programs, home }: Places): boolean {
  if (/^\/(?:usr\/)?lib(?:32|64)?\/(?:.*\.so|locale\/|.*gconv)/.test(path)) return true;
  if (given.startsWith("/usr/share/locale/")) return true;
  if (/^\/etc\/(?:ld\.so\.(?:cache|preload)|locale\.alias)$/.test(path)) return true;
  if (path.startsWith(`${stubs}/`) || path.startsWith(`${programs}/`)) return true;
  if (/^\/proc\/(?:self|\d+|filesystems|mounts|meminfo|stat|cpuinfo|sys|uptime|loadavg)/.test(path))
    return by !== "cat" && by !== "bash";
  if (/^\/sys\/(?:fs\/cgroup|devices\/system\/cpu|kernel\/mm)/.test(path)) return true;
  if (/^\/dev\/(?:null|urandom|tty)$/.test(path)) return true;
  if (namers.test(by) && /^\/etc\/(?:nsswitch\.conf|passwd|group|localtime)$/.test(path))
    return true;
  if (
    /^(?:bash|date|diff|ls|stat|find|git|du|uptime)$/.test(by) &&
    /zoneinfo|\/etc\/localtime/.test(path)
  )
    return true;
  if (by === "git")
    return (
      /^\/etc\/gitconfig$|^\/usr\/share\/git-core/.test(path) ||
      /^\.?(?:gitconfig|config\/git)/.test(below(home, path))
    );
  if (by === "hostname")
    return /^\/etc\/(?:hosts|host\.conf|nsswitch\.conf|resolv\.conf)$/.test(path);
  if (by === "find" && path === "/") return true;
  if (by === "jq") return path === `${home}/.jq`;
  if (by === "file") return /magic/.test(path);
  if (by === "which" || by === "egrep" || by === "fgrep") return /^\/(?:usr\/)?bin\//.test(path);
  return false;
}

function below(directory: string, path: string): string {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : "";
}
