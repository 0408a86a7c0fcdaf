import type { AgentId } from "../contract/ids.ts";
import { ProcessTree, type Termination } from "../processes/process-tree.ts";
import type { AgentSandbox } from "../platform/sandbox/agent-sandbox.ts";
import type { TightSandbox } from "../platform/sandbox/tight-sandbox.ts";
import { openRedactor, type Redactor } from "../redact/redactor.ts";
import { FileState, type FileLedger } from "./files/file-state.ts";
import { TreeLock } from "./shell/tree-lock.ts";
import { ShellTasks, type TaskNote } from "./shell/shell-tasks.ts";
import type { Todo } from "./agents/todo-write.ts";

/**
 * The state of one agent's tools between calls. Made when the agent starts, disposed on every way out, never shared;
 * only the ledger of who changed which file belongs to the whole session.
 */
export class Workbench {
  /** The agent's working directory. */
  readonly root: string;
  /** The current directory of the shell: a `cd` in one Bash call is kept for the next. */
  cwd: string;
  /** All working directories of the agent. */
  readonly directories: readonly string[];
  readonly files: FileState;
  readonly ledger: FileLedger;
  readonly processes: ProcessTree;
  /** The directory of spill files; the agent may read it unasked. */
  readonly resultsDir: string;
  /** The directory for output of commands in the background; the agent may read it unasked too. */
  readonly tasksDir: string;
  readonly shells: ShellTasks;
  /** Notifies the agent about its commands in the background. */
  notify: ((note: TaskNote) => void) | undefined;
  /** Whether searches must hide a path; absent: none. */
  readonly hides: ((path: string) => boolean) | undefined;
  /** Variables that commands get besides our environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of our credentials that commands get too. */
  readonly passes: readonly string[];
  /** The sandbox of commands; absent: they run as we do. */
  readonly sandbox: AgentSandbox | undefined;
  /** The sandbox of commands that needed no approval. */
  readonly tightSandbox: TightSandbox | undefined;
  /** The session's lock, so that nothing is moved under a command that relies on where it is. */
  readonly tree: TreeLock;
  /** Redacts files that tools write for themselves; their results to the model stay unchanged. */
  readonly redactor: Redactor;
  todos: Todo[] = [];
  readonly #closed = Promise.withResolvers<void>();
  /** Resolves when all processes of the agent are gone. */
  readonly closed: Promise<void> = this.#closed.promise;

  constructor(options: {
    agentId: AgentId;
    root: string;
    directories?: readonly string[];
    resultsDir: string;
    tasksDir: string;
    ledger: FileLedger;
    hides?: ((path: string) => boolean) | undefined;
    env?: Readonly<Record<string, string>>;
    passes?: readonly string[];
    sandbox?: AgentSandbox | undefined;
    tightSandbox?: TightSandbox | undefined;
    tree?: TreeLock;
    redactor?: Redactor;
    /** Options for ending its processes. */
    ending?: Termination;
    notify?: (note: TaskNote) => void;
  }) {
    this.root = options.root;
    this.cwd = options.root;
    this.directories = options.directories ?? [options.root];
    this.resultsDir = options.resultsDir;
    this.tasksDir = options.tasksDir;
    this.ledger = options.ledger;
    this.hides = options.hides;
    this.env = options.env ?? {};
    this.passes = options.passes ?? [];
    this.sandbox = options.sandbox;
    this.tightSandbox = options.tightSandbox;
    this.tree = options.tree ?? new TreeLock();
    this.redactor = options.redactor ?? openRedactor;
    this.notify = options.notify;
    this.files = new FileState();
    this.processes = new ProcessTree(options.agentId, options.ending);
    this.shells = new ShellTasks(this);
  }

  /** Kills the processes that the agent's shells left behind and drops its state. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.shells.willBeStopped();
    try {
      await this.processes.killAll();
      await this.shells.stopped();
      await this.sandbox?.[Symbol.asyncDispose]();
    } finally {
      this.#closed.resolve();
      this.files.clear();
      this.todos = [];
    }
  }
}
