import { dirname, join, relative, resolve } from "node:path";
import { standsIn } from "./rules/loose-name.ts";
import { matchesSegment } from "./rules/path-rule.ts";
import { isInside } from "../platform/files/is-inside.ts";
import { protectedDirectories, protectedFiles } from "../platform/files/protected-names.ts";

/** Further names on which programs act. The sandbox does not hold them: an empty one would disturb. */
const furtherDirectories = [
  ...[".ssh", ".gnupg", ".hg", ".githooks", ".cursor", ".zed", ".direnv"],
  // Programs that `npx`, and the next `npx retinue`, find first.
  "node_modules/.bin",
  ...[".emacs.d", ".config/emacs", ".vim", ".config/nvim", ".config/fish", ".config/mise", ".mise"],
  ...[".config/autostart", ".config/systemd", "library/launchagents"],
];
const furtherFiles = [
  ".vimrc .exrc .gdbinit .lldbinit .inputrc .tmux.conf .netrc .curlrc .wgetrc .pypirc",
  // Version managers run what these name.
  ".tool-versions mise.toml .mise.toml mise.local.toml .mise.local.toml rust-toolchain rust-toolchain.toml",
  ".emacs .emacs.el .dir-locals.el .dir-locals-2.el .nvimrc .nvim.lua .lvimrc",
  ".cshrc .tcshrc .kshrc .login .xprofile .xsession .xsessionrc .xinitrc .pam_environment .screenrc",
  ".irbrc .pryrc .rprofile .pdbrc .psqlrc .sqliterc .ghci .hgrc",
].flatMap((names) => names.split(" "));
/** Files that name programs, in directories that hold harmless ones as well. */
const filesInDirectories = [".docker/config.json", ".kube/config", ".aws/config"];

const files: ReadonlySet<string> = new Set([...protectedFiles, ...furtherFiles]);
const directories: readonly string[] = [...protectedDirectories, ...furtherDirectories];

export interface ProtectedRoots {
  /** The project, the home directory and every working directory. */
  readonly directories: readonly string[];
  /** Retinue's own directories. */
  readonly own: readonly string[];
}

/**
 * Whether writing to a path below these directories, or to Retinue's own files, wants a person's word, whatever is allowed. At any
 * depth: a package inside a repository has hooks and settings of its own.
 */
export function isProtected(path: string, { directories, own }: ProtectedRoots): boolean {
  if (own.some((directory) => isInside(directory, path))) return true;
  return directories.some((root) => isInside(root, path) && isProtectedBelow(root, path));
}

/** Whether a text has a protected name in it, as a part of some path. */
export function namesProtected(text: string): boolean {
  const parts = text.toLowerCase().split(/[\s/"'=;&|<>()]+/);
  return parts.some((part) => files.has(part) || directories.includes(part));
}

/** Whether a word may name a protected path in a way that only its program knows: `-Wp,-MD,.npmrc`. */
export function mentionsProtected(text: string): boolean {
  const isPlain = !/\s|:\/\//.test(text);
  return isPlain && [...files, ...dotted].some((name) => standsIn(name, text.toLowerCase()));
}

const dotted = directories.filter((name) => name.startsWith("."));

/** Whether a word of which parts are open may be a protected name, or one of Retinue's own: `.g$x/hooks`, `.npmr?`. */
export function mayNameProtected(shape: string): boolean {
  return shape.split("/").some((segment) => {
    const isMixed = segment.includes("*") && /[^*]/.test(segment);
    return (
      isMixed &&
      [...files, ...directories, ...ownNames].some((name) => matchesSegment(segment, name))
    );
  });
}

/** Whether a word may become a protected name by what a program adds or takes away: `.np`, `.npmrc.gz`. */
export function resemblesProtected(text: string): boolean {
  return text
    .toLowerCase()
    .split(/[/=#]/)
    .some(
      (segment) =>
        /^\.[a-z]/.test(segment) &&
        [...files, ...directories].some(
          (name) => name.startsWith(segment) || segment.startsWith(name),
        ),
    );
}

const ownNames = ["lease.json", "retinue", "trust", "grants", "projects", "inbox"];

function isProtectedBelow(root: string, path: string): boolean {
  const below = folded(relative(root, path));
  const segments = below.split("/");
  if (files.has(segments.at(-1) ?? "")) return true;
  if (filesInDirectories.some((name) => `/${below}`.endsWith(`/${name}`))) return true;
  // Work trees of agents are ordinary folders; what they hold is looked at from their own root.
  const [, front, inside] = /^(?:(.*?)\/)?\.claude\/worktrees\/\w[^/]*\/(.+)$/.exec(below) ?? [];
  if (inside !== undefined && (front === undefined || !isProtectedBelow(root, join(root, front))))
    return isProtectedBelow(root, resolve(root, inside));
  // With it goes `.config/git`.
  if (below === ".config") return true;
  return directories.some((directory) => `/${below}/`.includes(`/${directory}/`));
}

/** Some disks do not tell small letters from capitals, nor `ſ` from `s`. */
function folded(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase();
}

/** Whether `rm` of this would lose more than anybody means: the root, what lies in it, home, or where the work is. */
export function isCritical(path: string, { cwd, home }: { cwd: string; home: string }): boolean {
  // A pattern that finds everything in a directory.
  const all = /\/[*?.]*[*?][*?.]*$/.test(path) ? dirname(path) : null;
  if (all !== null && all !== cwd) return isCritical(all, { cwd, home });
  if (path === "/" || dirname(path) === "/") return true;
  return all === null && (isInside(path, cwd) || isInside(path, home));
}
