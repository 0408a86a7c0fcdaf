import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { absolutePath } from "../files/absolute-path.ts";
import { realPath } from "../files/real-path.ts";
import { programOn, safePath } from "../files/safe-path.ts";
import { temporaryName } from "../files/temporary-name.ts";
import { shellQuote } from "../shell-quote.ts";
import { gitExcludes } from "./git-excludes.ts";
import { hiddenNote } from "./hidden-note.ts";
import type { SandboxLibrary } from "./library.ts";
import { protectedPaths } from "./protected-paths.ts";
import type { SandboxCall, SandboxedCommand } from "./sandboxed-command.ts";
import type { SessionSandbox } from "./session-sandbox.ts";
import { supervisorScript } from "./supervisor.ts";

/** The sandbox of one agent: its working directory, and a directory for temporary files that it keeps. */
export class AgentSandbox implements AsyncDisposable {
  readonly #library: SandboxLibrary;
  readonly #session: Pick<SessionSandbox, "limits" | "ownDirectories">;
  readonly #root: string;
  readonly #directories: readonly string[];
  #temporary: Promise<string> | undefined;

  constructor(
    library: SandboxLibrary,
    session: Pick<SessionSandbox, "limits" | "ownDirectories">,
    { cwd, directories }: { readonly cwd: string; readonly directories: readonly string[] },
  ) {
    this.#library = library;
    this.#session = session;
    this.#root = cwd;
    this.#directories = directories;
  }

  async prepare(call: SandboxCall): Promise<SandboxedCommand> {
    this.#temporary ??= mkdtemp(join(realPath(tmpdir()), temporaryName("tmp")));
    const temporary = await this.#temporary;
    const root = realPath(this.#root);
    const filesystem = await fileLimits({
      ...this.#session,
      root,
      writable: [temporary, realPath(call.directory)],
    });
    const excludes = gitExcludes({
      root,
      denied: filesystem.denyWrite,
      file: join(call.directory, "excludes"),
      env: call.env,
    });
    const command = join(call.directory, "command");
    const supervisor = join(call.directory, "supervisor");
    await writeFile(command, call.command);
    const before = excludes === undefined ? [] : [excludes.script];
    // Programs of the system set up the sandbox itself.
    const path = call.env["PATH"];
    const env = {
      TMPDIR: temporary,
      ...excludes?.env,
      ...(path === undefined ? {} : { PATH: path }),
    };
    await writeFile(supervisor, supervisorScript({ ...call, command, env, before }));
    const wrapped = await this.#library.wrapWithSandbox(
      `exec bash --noprofile --norc ${shellQuote(supervisor)}`,
      "bash",
      { filesystem },
      call.signal,
      { commandId: call.id },
    );
    return {
      file: programOn(safePath(path, [root, call.cwd, ...this.#directories]), "bash"),
      args: ["--noprofile", "--norc", "-c", `exec ${wrapped}`],
      ended: () => this.#library.cleanupAfterCommand(),
      notes: (exitCode, printed) => [
        ...this.#notes(call.id, exitCode, printed),
        ...hiddenNote({ ...filesystem, command: call.command, cwd: call.cwd, printed }),
      ],
    };
  }

  /**
   * Refused hosts are known from the proxy. Refused writes show only in the output, so only a failed command gets a
   * note about them.
   */
  #notes(id: string, exitCode: number | undefined, printed: () => string): string[] {
    const violations = this.#library.getSandboxViolationStore().getViolationsForCommand(id);
    const hosts = [...new Set(violations.flatMap(({ line }) => hostIn(line)))];
    const notes: string[] = [];
    if (hosts.length > 0) {
      notes.push(
        `[The sandbox refused the network: ${hosts.slice(0, mostHosts).join(", ")}. The user can allow hosts in sandbox.network.allowedDomains.]`,
      );
    }
    const hasFailed = exitCode !== undefined && exitCode !== 0;
    if (hasFailed && refusedWrite.test(printed())) {
      notes.push(
        `[The sandbox lets commands write in ${this.#root} and $TMPDIR only, and not its protected files. The user can add directories to sandbox.filesystem.allowWrite.]`,
      );
    }
    return notes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const temporary = await this.#temporary?.catch(() => undefined);
    this.#temporary = undefined;
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

const mostHosts = 10;
const refusedWrite = /\b(?:Read-only file system|EROFS)\b/;

/** Paths that one command may read and write, all absolute. */
export async function fileLimits(of: {
  limits: SessionSandbox["limits"];
  ownDirectories: readonly string[];
  root: string;
  writable: readonly string[];
}): Promise<Record<"allowWrite" | "denyWrite" | "denyRead" | "allowRead", string[]>> {
  const { limits, root } = of;
  const absolute = (path: string): string => absolutePath(path, root);
  return {
    allowWrite: [root, ...of.writable, ...limits.allowWrite.map(absolute)],
    denyWrite: [
      ...(await protectedPaths(root)),
      ...limits.denyWrite.map(absolute),
      ...of.ownDirectories,
      ...writableByDefault(),
    ],
    denyRead: limits.denyRead.map(absolute),
    allowRead: limits.allowRead.map(absolute),
  };
}

/** Paths that the library lets every command write. Agents would share them. */
function writableByDefault(): string[] {
  return ["/tmp/claude", join(homedir(), ".npm/_logs"), join(homedir(), ".claude/debug")];
}

function hostIn(line: string): string[] {
  const host = /^deny network-outbound (\S+)/.exec(line)?.[1];
  return host === undefined ? [] : [host];
}
