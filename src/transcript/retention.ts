import { lstat, readdir, realpath, rename, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage, RetinueError, systemCode } from "../contract/errors.ts";
import { holdDirectory, type HeldDirectory } from "../platform/files/hold-directory.ts";
import { removeTree, unlessGone } from "../platform/files/remove-tree.ts";
import { measure } from "./last-used.ts";
import { agentsIn } from "./session-directory.ts";

/** A session of ours that has not been used for as long as transcripts are kept. */
export interface OldSession {
  readonly sessionId: string;
  readonly projectDir: string;
  /** The last write to any of its files, in milliseconds. */
  readonly lastUsed: number;
  readonly bytes: number;
  readonly agents: number;
}

export interface Pruned {
  /** Removed sessions; with `dryRun` those that would be removed. */
  readonly removed: readonly OldSession[];
  /** Old sessions in which a live process works. */
  readonly inUse: readonly OldSession[];
  readonly failed: readonly { readonly path: string; readonly error: string }[];
  /** Whether the signal ended it early; the next prune continues. */
  readonly cutShort: boolean;
}

export interface PruneRequest {
  readonly configDir: string;
  /** The cutoff of a project in milliseconds: sessions last used before it are removed. */
  readonly before: (projectDir: string) => number;
  readonly dryRun?: boolean;
  readonly signal: AbortSignal;
}

/**
 * The directory of sessions under removal. It is one level deeper than readers look, so that one `rename` hides a
 * session from all of them; its main transcript follows. The next prune removes what a crash leaves here.
 */
const waste = ".retinue-removing";

/**
 * Removes old sessions below a config directory whole: `<session>.jsonl` and `<session>/`. Sessions of other programs,
 * sessions in use and everything behind a link are left alone. `projects` itself may be a link: that is where its owner
 * keeps it. Never throws; stops between two sessions when the signal aborts.
 */
export async function prune(request: PruneRequest): Promise<Pruned> {
  const report = {
    removed: [] as OldSession[],
    inUse: [] as OldSession[],
    failed: [] as { path: string; error: string }[],
    cutShort: false,
  };
  const attempt = async (path: string, work: () => Promise<void>): Promise<void> => {
    if (request.signal.aborted) report.cutShort = true;
    else
      await work().catch((error: unknown) =>
        report.failed.push({ path, error: errorMessage(error) }),
      );
  };
  const projects = join(request.configDir, "projects");
  await attempt(projects, async () => {
    const root = await unlessGone(() => realpath(projects));
    for (const name of root === undefined ? [] : await directoriesIn(root)) {
      const projectDir = join(root ?? "", name);
      await attempt(projectDir, async () => {
        using project = holdDirectory(projectDir);
        await attempt(join(projectDir, waste), async () => {
          report.removed.push(...(await finishRemovals(project, request)));
        });
        for (const sessionId of await directoriesIn(project.at("."))) {
          await attempt(join(projectDir, sessionId), async () => {
            const { kind, session } = await pruneOne(project, sessionId, request);
            if (kind !== "kept") report[kind].push(session);
          });
        }
        if (request.dryRun !== true) await dropWaste(project);
      });
    }
  });
  return report;
}

type PruneOutcome =
  | { kind: "kept"; session?: never }
  | { kind: "removed" | "inUse"; session: OldSession };

async function pruneOne(
  project: HeldDirectory,
  sessionId: string,
  { before, dryRun }: PruneRequest,
): Promise<PruneOutcome> {
  if (sessionId === waste) return { kind: "kept" };
  const paths = [...transcriptsOf(sessionId), sessionId].map((name) => project.at(name));
  const measured = await measure(paths, before(project.path));
  if (measured === undefined) return { kind: "kept" };
  const agents = await agentsIn(project.at(sessionId), sessionId);
  if (agents === undefined) return { kind: "kept" };
  const session = { sessionId, projectDir: project.path, ...measured, agents: agents.count };
  if (agents.inUse) return { kind: "inUse", session };
  if (dryRun === true) return { kind: "removed", session };
  return { kind: await takeAway(project, sessionId), session };
}

/** Removes a session, unless a process works in it. Two concurrent calls both report it removed. */
export async function removeSession(
  project: HeldDirectory,
  sessionId: string,
): Promise<"removed" | "inUse"> {
  const fate = await takeAway(project, sessionId);
  await dropWaste(project);
  return fate;
}

async function takeAway(project: HeldDirectory, sessionId: string): Promise<"removed" | "inUse"> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    using removals = holdDirectory(join(project.path, waste), 0o700);
    // Leftovers of an earlier removal would be in the way.
    await finishRemoval(project, removals, sessionId);
    await unlessGone(() => rename(project.at(sessionId), removals.at(sessionId)));
    const fate = await finishRemoval(project, removals, sessionId);
    if (fate === "inUse" || !(await isThere(project.at(sessionId)))) return fate;
    // Another process with nothing left to remove deleted the waste directory; each does that once.
  }
  throw new RetinueError("storage", `${join(project.path, sessionId)} keeps changing. Try again.`);
}

const mostAttempts = 20;

/** Finishes interrupted removals and returns their sessions; with `dryRun` only returns them. */
async function finishRemovals(
  project: HeldDirectory,
  { dryRun }: PruneRequest,
): Promise<OldSession[]> {
  const found = await unlessGone(() => lstat(project.at(waste)));
  if (found?.isDirectory() !== true) return [];
  using removals = holdDirectory(join(project.path, waste));
  const finished: OldSession[] = [];
  for (const sessionId of await sessionsIn(removals)) {
    const paths = [sessionId, ...transcriptsOf(sessionId)].map((name) => removals.at(name));
    const measured = await measure(paths, Infinity);
    const agents = await agentsIn(removals.at(sessionId), sessionId);
    if (dryRun !== true) await finishRemoval(project, removals, sessionId);
    const isBack = agents?.inUse === true || (await isThere(project.at(sessionId)));
    if (isBack || measured === undefined) continue;
    const { path: projectDir } = project;
    finished.push({ sessionId, projectDir, ...measured, agents: agents?.count ?? 0 });
  }
  return finished;
}

/** Sessions under removal. Only the transcript is left of some. */
async function sessionsIn(removals: HeldDirectory): Promise<string[]> {
  const names = (await readdir(removals.at("."))).filter((name) => !name.startsWith("."));
  return [...new Set(names.map((name) => name.replace(/\.jsonl(\.bad)?$/, "")))].toSorted();
}

/** Removes a session, or gives it back to a process that opened it after it was found unused. */
async function finishRemoval(
  project: HeldDirectory,
  removals: HeldDirectory,
  sessionId: string,
): Promise<"removed" | "inUse"> {
  const agents = await agentsIn(removals.at(sessionId), sessionId);
  if (agents?.inUse === true) {
    await unlessGone(() => rename(removals.at(sessionId), project.at(sessionId)));
    return "inUse";
  }
  await takeTranscript(project, removals, sessionId);
  await removeTree(removals.at(sessionId));
  for (const name of transcriptsOf(sessionId)) await removeTree(removals.at(name));
  return "removed";
}

/**
 * Moves the main transcript after its directory. After a crash between the two, another session may own it: a
 * transcript written after the directory was moved stays. The directory's `ctime` tells that until the first of its
 * files is gone.
 */
async function takeTranscript(
  project: HeldDirectory,
  removals: HeldDirectory,
  sessionId: string,
): Promise<void> {
  const moved = await unlessGone(() => lstat(removals.at(sessionId)));
  if (moved?.isDirectory() !== true || (await isThere(project.at(sessionId)))) return;
  for (const name of transcriptsOf(sessionId)) {
    const transcript = await unlessGone(() => lstat(project.at(name)));
    if (transcript === undefined || transcript.mtimeMs > moved.ctimeMs) continue;
    if (!(await isThere(removals.at(name))))
      await unlessGone(() => rename(project.at(name), removals.at(name)));
  }
}

/** Files of a session outside its directory: the main transcript, and its invalid lines. */
function transcriptsOf(sessionId: string): string[] {
  return [`${sessionId}.jsonl`, `${sessionId}.jsonl.bad`];
}

async function dropWaste(project: HeldDirectory): Promise<void> {
  try {
    await rmdir(project.at(waste));
  } catch (error) {
    const isNothingOfOurs = ["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(
      systemCode(error) ?? "",
    );
    if (!isNothingOfOurs) throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await unlessGone(() => lstat(path))) !== undefined;
}

/** Directories in a directory, in order; links are left out. */
async function directoriesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}
