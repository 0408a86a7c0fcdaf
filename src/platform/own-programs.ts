import { programOn, safePath } from "./files/safe-path.ts";

/*
 * Programs that Retinue starts itself: no rule and no person approves them, so no folder may choose them. They are looked up on a
 * PATH in which the current directory and the working directories of sessions have no say, and find that PATH in their
 * environment.
 */

const workingDirectories = new Set<string>();

let person: { readonly path: string | undefined; readonly safe: string } | undefined;

/**
 * Makes the safe PATH that of this process, so that libraries start programs from it too. For the command line, which has the
 * process to itself; a host's environment stays as it is.
 */
export function useSafePath(): void {
  const path = personsPath();
  const safe = safePath(path, [currentDirectory(), ...workingDirectories]);
  person = { path, safe };
  process.env["PATH"] = safe;
}

/** Leaves the working directories of a session off the PATH too: agents write there, and foreign clones may lie there. */
export function leaveOffPath(directories: readonly string[]): void {
  for (const directory of directories) workingDirectories.add(directory);
  if (person === undefined || person.safe !== process.env["PATH"]) return;
  useSafePath();
}

/** The PATH that the person started us with: for commands that a rule or a person approves, and for Retinue itself again. */
export function personsPath(): string | undefined {
  const now = process.env["PATH"];
  return person !== undefined && person.safe === now ? person.path : now;
}

/** A program of the system, and the PATH that it gets. */
export function ownProgram(
  name: string,
  folders: readonly string[] = [],
): { readonly file: string; readonly path: string } {
  const path = safePath(process.env["PATH"], [
    currentDirectory(),
    ...workingDirectories,
    ...folders,
  ]);
  return { file: programOn(path, name), path };
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    // The directory is gone, and programs with it.
    return "/";
  }
}
