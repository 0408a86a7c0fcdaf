import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import type { SandboxSettings } from "../../settings/sandbox-settings.ts";
import type { Logger } from "../logger.ts";
import { ownProgram } from "../own-programs.ts";
import { acquireLibrary, releaseLibrary, type SandboxLibrary } from "./library.ts";

/** The sandbox that the agents of one session share: one list of hosts, opened when the first of them starts. */
export class SessionSandbox {
  readonly limits: SandboxSettings["filesystem"];
  /** Paths that no command may write, even inside writable directories. */
  readonly ownDirectories: readonly string[];
  readonly #settings: SandboxSettings;
  readonly #logger: Logger;
  #opening: Promise<SandboxLibrary | undefined> | undefined;

  constructor(options: {
    settings: SandboxSettings;
    ownDirectories: readonly string[];
    logger: Logger;
  }) {
    this.#settings = options.settings;
    this.#logger = options.logger;
    this.limits = options.settings.filesystem;
    this.ownDirectories = options.ownDirectories;
  }

  /**
   * Opens the sandbox. Throws `unsupported` with the remedy if none is possible; returns nothing only if the settings
   * allow running without one.
   */
  open(): Promise<SandboxLibrary | undefined> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Closes the sandbox, after all agents have ended: processes that still run in one lose their network. */
  async close(): Promise<void> {
    const library = await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    if (library !== undefined) await releaseLibrary();
  }

  async #open(): Promise<SandboxLibrary | undefined> {
    try {
      const library = await acquireLibrary(this.#settings.network);
      try {
        await tryOut(library);
      } catch (error) {
        await releaseLibrary();
        throw error;
      }
      return library;
    } catch (error) {
      const isUnavailable = error instanceof RetinueError && error.code === "unsupported";
      if (!isUnavailable || this.#settings.failIfUnavailable) throw error;
      this.#logger.warn(
        {},
        `Bash runs WITHOUT a sandbox, because sandbox.failIfUnavailable is false. ${error.message}`,
      );
      return undefined;
    }
  }
}

/** Runs a command to see whether this machine permits sandboxes: containers often forbid namespaces. */
async function tryOut(library: SandboxLibrary): Promise<void> {
  const filesystem = { denyRead: [], allowWrite: [], denyWrite: [] };
  const options = { commandId: "try-out" };
  const command = await library.wrapWithSandbox("true", "bash", { filesystem }, undefined, options);
  const bash = ownProgram("bash");
  const env = { ...process.env, PATH: bash.path };
  const settings = { cwd: tmpdir(), env, timeout: 30_000 };
  try {
    await new Promise<void>((resolve, reject) => {
      execFile(bash.file, ["-c", command], settings, (error, _, stderr) => {
        if (error === null) resolve();
        else reject(new Error(stderr.trim().split("\n").at(-1) || error.message));
      });
    });
  } catch (error) {
    throw new RetinueError(
      "unsupported",
      `The sandbox does not work here (${errorMessage(error)}). Allow user namespaces on this machine (in a container they need --privileged or a seccomp profile that permits them), or set sandbox.enabled to false.`,
      { cause: error },
    );
  } finally {
    library.cleanupAfterCommand();
  }
}
