import { platform, release } from "node:os";
import { currentBranch } from "../platform/git/current-branch.ts";
import { directoriesUpToRoot, gitStatus, repositoryRoot } from "../platform/git/git.ts";
import { isTrusted } from "../settings/trust.ts";
import type { Attachment } from "../contract/message.ts";
import { escapeName } from "../contract/escape-tags.ts";
import { once } from "../platform/once.ts";
import { readInstructions } from "./instructions.ts";

/**
 * Facts about the surroundings for agents. Read once per session, so that every child of one type starts with the same
 * bytes and the provider's cache can serve them.
 */
export class Environment {
  readonly cwd: string;
  readonly configDir: string;
  readonly repository: string | undefined;
  /** Directories from the working directory up to the repository's root. */
  readonly directories: readonly string[];
  readonly branch: string | undefined;
  /** State of the working tree, read on first use. No git runs in a folder that is not trusted. */
  readonly status: () => Promise<string | undefined>;
  readonly #options: { cwd: string; configDir: string; now: number };
  readonly #date: string;

  constructor(options: { cwd: string; configDir: string; now: number }) {
    this.cwd = options.cwd;
    this.configDir = options.configDir;
    const root = repositoryRoot(options.cwd);
    this.repository = root;
    this.directories = directoriesUpToRoot(options.cwd);
    const trusted = root !== undefined && isTrusted(options.cwd, options.configDir);
    this.branch = root === undefined ? undefined : currentBranch(root, { trusted });
    this.status = once(async () => (trusted ? gitStatus(root) : undefined));
    this.#options = options;
    this.#date = new Date(options.now).toISOString().slice(0, 10);
  }

  /** The same for an agent in another directory. */
  at(cwd: string): Environment {
    return cwd === this.cwd ? this : new Environment({ ...this.#options, cwd });
  }

  /** Instructions that people wrote for agents here, as of now. */
  instructions(): Promise<Attachment | null> {
    return readInstructions(this.directories, this.configDir);
  }

  /** The block at the end of a system prompt. A repository may have chosen the names in it. */
  async block(options: { model: string; gitStatus: boolean }): Promise<string> {
    const status = options.gitStatus ? await this.status() : undefined;
    const lines = [
      `Working directory: ${escapeName(this.cwd)}`,
      this.repository === undefined
        ? "Not a git repository"
        : `Repository: ${escapeName(this.repository)}`,
      ...(this.branch === undefined ? [] : [`Branch: ${escapeName(this.branch)}`]),
      `Configuration directory: ${escapeName(this.configDir)}`,
      `Platform: ${platform()} ${release()}, bash`,
      `Date: ${this.#date}`,
      `Model: ${escapeName(options.model)}`,
    ];
    const snapshot =
      status === undefined || status === ""
        ? ""
        : `\n<git_status>\nA snapshot from the start of the session; it does not change.\n${status.split("\n").map(escapeName).join("\n")}\n</git_status>`;
    return `<environment>\n${lines.join("\n")}\n</environment>${snapshot}\nGive file paths as absolute paths. No emoji.`;
  }
}
