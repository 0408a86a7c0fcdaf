import { errorMessage, RetinueError, systemCode } from "../../contract/errors.ts";
import { Gate } from "../gate.ts";

/** The used part of `@anthropic-ai/sandbox-runtime`. The package is optional, so its own types cannot be imported. */
export interface SandboxLibrary {
  isSupportedPlatform(): boolean;
  checkDependencies(ripgrep: { command: string }): { errors: string[]; warnings: string[] };
  initialize(config: LibraryConfig): Promise<void>;
  /** Returns a simple shell command that runs `command` inside. Each call needs one `cleanupAfterCommand`. */
  wrapWithSandbox(
    command: string,
    shell: string,
    config: Pick<LibraryConfig, "filesystem">,
    signal: AbortSignal | undefined,
    options: { commandId: string },
  ): Promise<string>;
  cleanupAfterCommand(): void;
  getSandboxViolationStore(): { getViolationsForCommand(id: string): { line: string }[] };
  reset(): Promise<void>;
}

export interface NetworkLimits {
  readonly allowedDomains: string[];
  readonly deniedDomains: string[];
}

interface LibraryConfig {
  network: NetworkLimits;
  filesystem: {
    denyRead: string[];
    allowRead?: string[];
    allowWrite: string[];
    denyWrite: string[];
  };
  ripgrep?: { command: string };
}

const off = "or set sandbox.enabled to false";

/**
 * The library has one proxy for the whole process, and so one list of hosts: sessions with the same list share it, and
 * the last one to close ends it. Writable paths are passed with every command.
 */
const oneAtATime = new Gate(1);
let open: { library: SandboxLibrary; network: string; users: number } | undefined;

/**
 * Opens the library. Throws `unsupported` with the remedy if no sandbox is possible. Each success needs one
 * `releaseLibrary`.
 */
export function acquireLibrary(limits: NetworkLimits): Promise<SandboxLibrary> {
  return oneAtATime.run(async () => {
    const network = JSON.stringify([limits.allowedDomains, limits.deniedDomains]);
    if (open !== undefined) {
      if (open.network !== network)
        throw new RetinueError(
          "invalid_config",
          "Another session of this process has a sandbox with other hosts in sandbox.network. Give both the same, or close the other first.",
        );
      open.users += 1;
      return open.library;
    }
    const library = await loadLibrary();
    const ripgrep = { command: (await import("@vscode/ripgrep")).rgPath };
    const problem = whyUnavailable(process.platform, () =>
      library.isSupportedPlatform()
        ? library.checkDependencies(ripgrep)
        : { errors: ["this system is too old or of another kind"], warnings: [] },
    );
    if (problem !== undefined) throw new RetinueError("unsupported", problem);
    await initialize(library, {
      network: {
        allowedDomains: [...limits.allowedDomains],
        deniedDomains: [...limits.deniedDomains],
      },
      filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
      ripgrep,
    });
    open = { library, network, users: 1 };
    return library;
  });
}

/** Ends the proxy after the last user, and removes files that the library left on the disk. */
export function releaseLibrary(): Promise<void> {
  return oneAtATime.run(async () => {
    if (open === undefined) return;
    open.users -= 1;
    if (open.users > 0) return;
    const { library } = open;
    open = undefined;
    await library.reset();
  });
}

/** The reason why the sandbox is not available, in one line with the remedy; nothing if it is. */
export function whyUnavailable(
  platform: NodeJS.Platform,
  check: () => { errors: readonly string[]; warnings: readonly string[] },
): string | undefined {
  if (platform !== "linux")
    return `The sandbox works on Linux only. Run Retinue there, in a container for example, ${off}.`;
  const { errors, warnings } = check();
  // Without the filter commands could reach every Unix socket, and with it a Docker daemon.
  const problems = [...errors, ...warnings];
  if (problems.length === 0) return undefined;
  return `The sandbox is not available here: ${problems.join("; ")}. Install bubblewrap and socat (on Debian and Ubuntu: apt-get install bubblewrap socat), ${off}.`;
}

async function loadLibrary(): Promise<SandboxLibrary> {
  try {
    const { SandboxManager } = await import("@anthropic-ai/sandbox-runtime");
    return SandboxManager;
  } catch (error) {
    // With `import`, and with `require` in the bundled command line.
    const isAbsent = /^(?:ERR_)?MODULE_NOT_FOUND$/.test(systemCode(error) ?? "");
    const reason = isAbsent ? "is not installed" : `cannot be loaded (${errorMessage(error)})`;
    throw new RetinueError(
      "unsupported",
      `The sandbox needs the package @anthropic-ai/sandbox-runtime, which ${reason}. Install it beside Retinue (npm install @anthropic-ai/sandbox-runtime, with -g if Retinue is), ${off}.`,
      { cause: error },
    );
  }
}

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Starts the library and replaces its signal handlers. A program that handles a signal does not die of it: Ctrl-C would
 * do nothing in a host that has no handler. So our handler cleans up and then dies, unless the host has its own.
 */
async function initialize(library: SandboxLibrary, config: LibraryConfig): Promise<void> {
  const before = new Map(signals.map((name) => [name, new Set(process.listeners(name))]));
  try {
    await library.initialize(config);
  } catch (error) {
    await library.reset().catch(() => undefined);
    throw new RetinueError(
      "unsupported",
      `The sandbox could not be started: ${errorMessage(error)}. Correct sandbox.network, ${off}.`,
      { cause: error },
    );
  } finally {
    for (const name of signals) {
      const added = process.listeners(name).filter((one) => before.get(name)?.has(one) !== true);
      for (const listener of added) process.removeListener(name, listener);
      if (added.length > 0) process.once(name, () => void dieOf(name, library));
    }
  }
}

async function dieOf(name: NodeJS.Signals, library: SandboxLibrary): Promise<void> {
  if (process.listenerCount(name) > 0) return;
  await library.reset().catch(() => undefined);
  process.kill(process.pid, name);
}
