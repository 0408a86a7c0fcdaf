import { platform, release } from "node:os";
import { currentBranch } from "../platform/git/current-branch.ts";
import { directoriesUpToRoot, gitStatus, repositoryRoot } from "../platform/git/git.ts";
import { isTrusted } from "../settings/trust.ts";
import type { Attachment } from "../contract/message.ts";
import { escapeName } from "../contract/escape-tags.ts";
import { once } from "../platform/once.ts";
import { readInstructions } from "./instructions.ts";

/**
 * What agents are told about where they are. Taken once per session, so that every child of one type starts with the
 * same bytes and the provider's cache can serve them.
 */
export class Environment {
  readonly cwd: string;
  readonly configDir: string;
  readonly repository: string | undefined;
  /** From the working directory up to the repository's root. */
  readonly directories: readonly string[];
  readonly branch: string | undefined;
  /** The state of the working tree when first asked for. No git runs in a folder that nobody trusts. */
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

  /** The same for an agent that works elsewhere. */
  at(cwd: string): Environment {
    return cwd === this.cwd ? this : new Environment({ ...this.#options, cwd });
  }

  /** What people wrote down for agents that work here, as it is now. */
  instructions(): Promise<Attachment | null> {
    return readInstructions(this.directories, this.configDir);
  }

  /** The block at the end of a system prompt. Its values are names that a repository may have chosen. */
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
