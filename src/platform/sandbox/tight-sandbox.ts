import { quietRipgrep } from "../quiet-ripgrep.ts";
import { safePath } from "../files/safe-path.ts";
import { copyFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { trackedPaths } from "../git/git-index.ts";
import { absolutePath } from "../files/absolute-path.ts";
import { isInside } from "../files/is-inside.ts";
import { realPath } from "../files/real-path.ts";
import { userHome } from "../files/user-home.ts";
import { bubblewrap, namespaces, type Bubblewrap } from "./bubblewrap.ts";
import type { ConfinedTo } from "./confined-to.ts";
import { gitConfiguration, gitPaths, gitThatLooks, holdable } from "./git-paths.ts";
import { hiddenNote } from "./hidden-note.ts";
import { programPaths } from "./program-paths.ts";
import { protectedPaths } from "./protected-paths.ts";
import type { SandboxCall, SandboxedCommand } from "./sandboxed-command.ts";
import { supervisorScript } from "./supervisor.ts";
import { systemDirectories, systemFiles } from "./system-paths.ts";
import { SandboxView } from "./view.ts";

export interface TightLimits {
  /** The working directories. Relative limits start at the first. */
  readonly directories: readonly string[];
  /** Further directories that may be read: results and outputs of the session. */
  readonly readable: readonly string[];
  /** Directories of Retinue's own files: never written. */
  readonly own: readonly string[];
  /** Whether a path must not be read. Called for paths outside the working directories. */
  readonly hides?: ((path: string) => boolean) | undefined;
  /** The paths in the working directories that rules keep from commands now. */
  readonly denied?: () => { readonly read: readonly string[]; readonly write: readonly string[] };
  /** Further limits of the settings, where their sandbox is on. */
  readonly forbidden?: {
    readonly denyRead: readonly string[];
    readonly allowRead: readonly string[];
    readonly denyWrite: readonly string[];
  };
}

type TightCall = SandboxCall & { readonly confinedTo: ConfinedTo };

/**
 * The sandbox of commands that needed no approval: the kernel limits them to the effect that the decision expected.
 * They have no network, and see system programs, the working directories and the session's results; `edit` may write
 * the working directories.
 */
export class TightSandbox {
  readonly #limits: TightLimits;
  readonly #find: () => Promise<Bubblewrap>;

  constructor(limits: TightLimits, find: () => Promise<Bubblewrap> = bubblewrap) {
    this.#limits = limits;
    this.#find = find;
  }

  /** Prepares a call; returns nothing if bubblewrap does not work. */
  async prepare(call: TightCall): Promise<SandboxedCommand | undefined> {
    const found = await this.#find();
    if ("missing" in found) return undefined;
    const path = safePath(call.env["PATH"], this.#limits.directories);
    const denied = deniedTo(this.#limits, call);
    const view = await viewOf(this.#limits, call, { path, kept: denied });
    const command = join(call.directory, "command");
    const supervisor = join(call.directory, "supervisor");
    await writeFile(command, call.command);
    const ripgrep = join(call.directory, "ripgreprc");
    await copyFile(quietRipgrep, ripgrep);
    const env = {
      TMPDIR: call.directory,
      RIPGREP_CONFIG_PATH: ripgrep,
      PATH: path,
      ...gitThatLooks(call.env),
    };
    await writeFile(supervisor, supervisorScript({ ...call, command, env, before: [] }));
    const shell = ["bash", "--noprofile", "--norc", supervisor];
    return {
      file: found.program,
      args: [...namespaces, ...view.arguments(), "--", ...shell],
      ended: () => undefined,
      notes: (exitCode, printed) => [
        ...(exitCode === undefined || exitCode === 0
          ? []
          : explanations(printed(), call.confinedTo)),
        ...hiddenNote({ ...forbiddenBy(this.#limits, call), ...call, printed }),
        ...hiddenNote({
          denyRead: denied.read,
          allowRead: [],
          remedy: "A rule of the user denies it.",
          ...call,
          printed,
        }),
      ],
    };
  }
}

async function viewOf(
  limits: TightLimits,
  call: TightCall,
  { path, kept }: { path: string; kept: ReturnType<typeof deniedTo> },
): Promise<SandboxView> {
  const { directories, readable, own, hides } = limits;
  const home = realPath(userHome());
  const within = directories.map((directory) => realPath(directory));
  const repositories = within.flatMap((directory) => gitPaths(directory, home));
  const seen = [...within, ...repositories];
  const programs = await programPaths({ path, home, within: seen });
  const configuration = gitConfiguration(userHome(), call.env);
  const outside = [
    ...[...programs, ...configuration].filter((path) => hides?.(path) !== true),
    ...repositories,
  ];
  const { denyRead: hidden, allowRead: revealed, denyWrite } = forbiddenBy(limits, call);
  const isSeen = (path: string): boolean => !isBelow(hidden, path) || isBelow(revealed, path);
  const view = new SandboxView()
    .add("show", [...systemDirectories, ...systemFiles])
    .add("show", [...outside, ...readable].filter(isSeen))
    .add(call.confinedTo === "edit" ? "open" : "show", directories.filter(isSeen))
    .add("hide", [...hidden, ...kept.read])
    .add("reveal", revealed);
  if (call.confinedTo === "edit") {
    const held = await Promise.all(within.map((directory) => protectedPaths(directory)));
    view.add(
      "hold",
      holdable([...held.flat(), ...own, ...denyWrite, ...kept.write]).filter(isSeen),
    );
  }
  return view.add("open", [call.directory]);
}

/** The paths that rules keep from a command. A hidden tracked file would look changed to git. */
function deniedTo(
  { denied }: TightLimits,
  { command }: TightCall,
): { read: string[]; write: string[] } {
  const { read = [], write = [] } = denied?.() ?? {};
  const isKept = /\bgit\b/.test(command) ? isTracked : () => false;
  return { read: read.filter((path) => !isKept(path)), write: [...write] };
}

function isTracked(path: string): boolean {
  const tracked = trackedPaths(dirname(path));
  return tracked !== null && tracked.paths.includes(relative(tracked.root, realPath(path)));
}

/** The limits of the settings, all paths absolute. */
function forbiddenBy(
  { directories: [first], forbidden }: TightLimits,
  { cwd }: TightCall,
): Record<"denyRead" | "allowRead" | "denyWrite", string[]> {
  const absolute = (paths: readonly string[] = []): string[] =>
    paths.map((path) => absolutePath(path, first ?? cwd));
  return {
    denyRead: absolute(forbidden?.denyRead),
    allowRead: absolute(forbidden?.allowRead),
    denyWrite: absolute(forbidden?.denyWrite),
  };
}

function isBelow(directories: readonly string[], path: string): boolean {
  return directories.some((directory) => isInside(realPath(directory), realPath(path)));
}

/** Messages of programs that the sandbox stops; they have other causes too. */
const refused =
  /Permission denied|Operation not permitted|Read-only file system|No such file or directory|Network is unreachable|Could not resolve|name resolution|Connection refused|Device or resource busy|not a git repository/i;

function explanations(printed: string, confinedTo: ConfinedTo): string[] {
  if (/^bwrap: /m.test(printed))
    return [
      "[This command needed no approval, but the sandbox for such commands could not be set up. The user can allow it with a rule, or set sandbox.autoApproved to false.]",
    ];
  if (!refused.test(printed)) return [];
  const writes =
    confinedTo === "edit" ? "writes there only, not protected files" : "writes nothing";
  return [
    `[This command needed no approval, so it ran in a sandbox: it sees the working directories and system programs only, ${writes}, and has no network. If it needs more, the user can allow it with a rule, which runs it outside.]`,
  ];
}
