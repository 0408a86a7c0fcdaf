import { join } from "node:path";
import { z } from "zod";
import { RetinueError } from "../contract/errors.ts";
import { allowRule } from "../permissions/rules/allow-rule.ts";
import type { SourcedRule } from "../permissions/decision.ts";
import { writeFileAtomic } from "../platform/files/atomic-write.ts";
import { withFileLock } from "../platform/files/file-lock.ts";
import { once } from "../platform/once.ts";
import { ownAgents } from "../processes/own-agents.ts";
import { ledByRetinue } from "../processes/shown-owner.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { projectFolder } from "../settings/project-folder.ts";
import { projectSlug } from "../transcript/paths.ts";
import type { AllowAnswer, InboxRequest } from "./request.ts";
import { allowInSettings } from "./settings-rule.ts";

/** The part of an agent that a grant is bound to. */
export interface GrantedAgent {
  readonly id: string;
  readonly type: string;
  readonly definitionHash: string;
}

const storedGrantSchema = once(() =>
  z.object({
    /** The folder: paths that differ can have the same slug, and so the same file. */
    project: z.string(),
    agentType: z.string(),
    definitionHash: z.string(),
    rule: z.string(),
    /** ISO 8601. */
    at: z.string(),
  }),
);

type StoredGrant = z.infer<ReturnType<typeof storedGrantSchema>>;

const largestFile = 4 * 1024 * 1024;

/**
 * Grants of this session. A grant to one agent applies to that agent. A grant for a type is valid only while the
 * definition is the one that the person saw. A grant for always is stored in a settings file, and here for the running
 * session.
 */
export class Grants {
  readonly #cwd: string;
  readonly #configDir: string;
  readonly #now: () => number;
  readonly #managedRulesOnly: boolean;
  readonly #project: string;
  readonly #file: string;
  readonly #session = new GrantedRules();
  readonly #agents = new Map<string, GrantedRules>();
  #stored: readonly StoredGrant[] | undefined;

  constructor(options: {
    cwd: string;
    configDir: string;
    now: () => number;
    /** A policy: only rules in managed settings may allow, so an answer is for one call. */
    managedRulesOnly?: boolean;
  }) {
    this.#managedRulesOnly = options.managedRulesOnly === true;
    this.#cwd = options.cwd;
    this.#configDir = options.configDir;
    this.#now = options.now;
    this.#project = projectFolder(options.cwd);
    const name = `${projectSlug(this.#project)}.json`;
    this.#file = join(options.configDir, "retinue", "grants", name);
  }

  /** Every grant to this agent, for the decision. */
  rulesFor(agent: GrantedAgent, { session }: { session: boolean }): SourcedRule[] {
    if (this.#managedRulesOnly) return [];
    const forType = this.#storedGrants()
      .filter(
        ({ project, agentType, definitionHash }) =>
          project === this.#project &&
          agentType === agent.type &&
          definitionHash === agent.definitionHash,
      )
      .map(({ rule }) => allowRule(rule, this.#file));
    const forAgent = this.#agents.get(agent.id)?.all() ?? [];
    return [...(session ? this.#session.all() : []), ...forAgent, ...forType];
  }

  /**
   * Stores the grants of an answer; they are valid when this returns. Throws if they cannot be stored; then none is
   * valid.
   */
  async give(request: InboxRequest, answer: AllowAnswer): Promise<void> {
    if (this.#managedRulesOnly && answer.scope !== "once")
      throw new RetinueError(
        "invalid_request",
        `${request.id} cannot be allowed for longer than once: by policy (allowManagedPermissionRulesOnly) only managed settings may hold rules that allow. Allow it once, or deny it.`,
      );
    if (answer.scope === "agent-always" || answer.scope === "always") await mustBeOutside(request);
    const rules = answer.rules ?? [];
    switch (answer.scope) {
      case "once":
        return;
      case "agent": {
        const own = this.#agents.get(request.agentId) ?? new GrantedRules();
        this.#agents.set(request.agentId, own);
        own.add(rules, "a grant to this agent");
        return;
      }
      case "session":
        this.#session.add(rules, "a grant for this session");
        return;
      case "agent-always":
        return await this.#store(request, rules);
      case "always": {
        const scope = answer.file ?? "local";
        const options = { scope, cwd: this.#cwd, configDir: this.#configDir };
        const file = await allowInSettings(rules, options);
        this.#session.add(rules, file);
      }
    }
  }

  async #store(request: InboxRequest, rules: readonly string[]): Promise<void> {
    const { agentType, definitionHash } = request;
    const project = this.#project;
    const at = new Date(this.#now()).toISOString();
    const lockDir = join(this.#configDir, "retinue", "locks");
    await withFileLock({ file: this.#file, lockDir }, async () => {
      const added = rules.map((rule) => ({ project, agentType, definitionHash, rule, at }));
      const before = this.#storedGrants();
      // Grants for an earlier content of a definition have expired.
      const stays = (one: StoredGrant): boolean =>
        one.project !== project ||
        one.agentType !== agentType ||
        (one.definitionHash === definitionHash && !rules.includes(one.rule));
      const kept = this.#readGrants().filter(stays);
      const text = `${JSON.stringify([...kept, ...added], null, 2)}\n`;
      await writeFileAtomic(this.#file, text, { mode: 0o600 });
      this.#stored = [...before.filter(stays), ...added];
    });
  }

  /**
   * Stored grants, read once, and again after a grant of this session: a file that a command has written grants
   * nothing.
   */
  #storedGrants(): readonly StoredGrant[] {
    this.#stored ??= this.#readable();
    return this.#stored;
  }

  #readable(): readonly StoredGrant[] {
    try {
      return this.#readGrants();
    } catch {
      // Unreadable grants allow nothing; storing the next one reports the problem.
      return [];
    }
  }

  #readGrants(): StoredGrant[] {
    const read = readSmallFile(this.#file, largestFile);
    if (read.kind === "missing") return [];
    try {
      if (read.kind === "text") return z.array(storedGrantSchema()).parse(JSON.parse(read.text));
    } catch {
      // Handled like a file that cannot be read.
    }
    throw new RetinueError(
      "invalid_config",
      `${this.#file} cannot be read, so no grant for an agent type can be stored. Correct or remove the file.`,
    );
  }
}

/** Throws in a session that an agent's command started: its answerer is not known to be the user. */
async function mustBeOutside({ id }: InboxRequest): Promise<void> {
  const { readProcesses } = await import("../processes/process-table.ts");
  const table = await readProcesses();
  if (ownAgents(table).size === 0 && ledByRetinue(table, process.pid).length === 0) return;
  throw new RetinueError(
    "invalid_request",
    `${id} cannot be allowed for longer than the session: this runs inside an agent, and only a person can write settings and grants. Allow it for the session.`,
  );
}

/** Each rule once, however often it was granted, with its last origin. */
class GrantedRules {
  readonly #sources = new Map<string, string>();

  add(rules: readonly string[], source: string): void {
    for (const rule of rules) this.#sources.set(rule, source);
  }

  all(): SourcedRule[] {
    return [...this.#sources].map(([rule, source]) => allowRule(rule, source));
  }
}
