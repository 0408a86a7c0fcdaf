import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { errorMessage } from "../../contract/errors.ts";
import { once } from "../once.ts";
import { isExecutable } from "../files/safe-path.ts";
import { ownProgram } from "../own-programs.ts";
import { systemDirectories, systemFiles } from "./system-paths.ts";
import { SandboxView } from "./view.ts";

/** The program, or the reason why none works, as a sentence with the remedy. */
export type Bubblewrap = { readonly program: string } | { readonly missing: string };

/** Tries bubblewrap out on first use, once in a process. Never rejects. */
export const bubblewrap: () => Promise<Bubblewrap> = once(() =>
  tryBubblewrap([
    ...["/usr/bin", "/bin", "/usr/local/bin", "/run/wrappers/bin", "/run/current-system/sw/bin"],
    ...ownProgram("bwrap").path.split(delimiter),
  ]),
);

/**
 * Arguments for a sandbox without network, privileges or foreign processes, which ends with this process. It needs no
 * new session: every process of an agent is started in its own, without a terminal.
 */
export const namespaces: readonly string[] = [
  "--unshare-user-try",
  "--unshare-net",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  ...["--cap-drop", "ALL"],
  "--die-with-parent",
];

/** Runs the program to see whether it works: containers, and some systems, forbid namespaces. */
export async function tryBubblewrap(places: readonly string[]): Promise<Bubblewrap> {
  if (process.platform !== "linux") return { missing: "It works on Linux only." };
  const program = places.map((place) => join(place, "bwrap")).find(isExecutable);
  if (program === undefined)
    return {
      missing:
        "bubblewrap is not installed. Install it (on Debian and Ubuntu: apt-get install bubblewrap).",
    };
  const view = new SandboxView().add("show", [...systemDirectories, ...systemFiles]);
  try {
    const args = [...namespaces, ...view.arguments(), "--", "true"];
    await promisify(execFile)(program, args, { cwd: "/", timeout: 10_000 });
    return { program };
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const why = stderr.trim().split("\n").at(-1) || errorMessage(error);
    return {
      missing: `bubblewrap does not work here (${why}). Allow user namespaces on this machine; a container needs --privileged or a seccomp profile that permits them.`,
    };
  }
}
