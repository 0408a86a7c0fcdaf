import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { catalogOf, readConfiguration, refuseLostRules } from "./configuration.ts";
import type { Catalog } from "../definitions/catalog.ts";
import { loadDefinitionFile } from "../definitions/definition-file.ts";
import { toDefinition, type AgentDefinition } from "../definitions/definition.ts";
import type { Diagnostic } from "../contract/diagnostic.ts";
import { errorMessage, RetinueError } from "../contract/errors.ts";
import { EventBus } from "../events/bus.ts";
import { newSessionId } from "../contract/ids.ts";
import { AuditLog } from "../inbox/audit.ts";
import { Denials } from "../inbox/denials.ts";
import { Grants } from "../inbox/grants.ts";
import { Inbox } from "../inbox/inbox.ts";
import { EarlierAgents } from "../lifecycle/history/earlier-agents.ts";
import { Registry } from "../lifecycle/registry.ts";
import type { Session } from "../lifecycle/session.ts";
import { Slots } from "../lifecycle/queue/slots.ts";
import { familyOf } from "./family.ts";
import type { CheckedOptions } from "./manager-options.ts";
import { createModels } from "../model/models.ts";
import {
  additionalDirectories,
  bypassIsOff,
  modeBySettings,
  rulesOfSettings,
} from "../permissions/rules/from-settings.ts";
import { FreshLook } from "../platform/files/fresh-look.ts";
import { makePrivateDirectory } from "../platform/files/make-directory.ts";
import type { Logger } from "../platform/logger.ts";
import { createRedactor } from "../redact/redactor.ts";
import { redactLogger } from "../redact/redact-logger.ts";
import { packagePath } from "../contract/package-path.ts";
import { once } from "../platform/once.ts";
import { Gate } from "../platform/gate.ts";
import { realPath } from "../platform/files/real-path.ts";
import { leaveOffPath } from "../platform/own-programs.ts";
import { SessionSandbox } from "../platform/sandbox/session-sandbox.ts";
import { Environment } from "../resolve/environment.ts";
import { byModelId } from "../resolve/model.ts";
import { sessionWorkspace } from "../resolve/workspace.ts";
import { sessionMode } from "../resolve/permission-mode.ts";
import { projectFolder } from "../settings/project-folder.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import { TreeLock } from "../tools/shell/tree-lock.ts";
import { FileLedger } from "../tools/files/file-state.ts";
import { createTools } from "../tools/registry.ts";
import { backgroundDisabled } from "../settings/background-disabled.ts";
import { projectDirectory, sessionPaths, type SessionPaths } from "../transcript/paths.ts";
import { takeLease } from "../transcript/lease/take-lease.ts";
import { DiskSync } from "../transcript/disk-sync.ts";
import { version } from "../contract/version.ts";

/** Builds everything that the agents of one session share. */
export function openSession(
  options: CheckedOptions,
  programmatic: () => readonly AgentDefinition[],
): SessionRuntime {
  const cwd = realDirectory(options.cwd);
  const id = options.session ?? newSessionId();
  const projectDir = privateDirectory(
    options.transcriptDir ?? projectDirectory(resolve(options.configDir), cwd),
  );
  const environment = new Environment({
    cwd,
    configDir: resolve(options.configDir),
    now: options.clock.now(),
  });
  const configuration = readConfiguration({
    ...options,
    cwd,
  });
  const { settings } = configuration;
  const added = additionalDirectories(settings, cwd);
  leaveOffPath(added);
  refuseLostRules(configuration);
  const redactor = createRedactor({
    env: { ...process.env, ...settings.env },
    extra: settings.redact,
    enabled: settings.redact.enabled,
  });
  const logger = redactLogger(options.logger, redactor);
  const paths = sessionPaths(projectDir, id);
  if (options.session !== undefined) refuseMissing(paths);
  const questions = openQuestions(options, { id, paths, cwd, settings, logger, redactor });
  const allowsBackground = !backgroundDisabled(process.env);
  const models = createModels(options.model, options.models);
  let types: Catalog | undefined;
  const session: Session = {
    id,
    paths,
    lease: takeLease(paths),
    disk: options.durability === "power" ? new DiskSync() : undefined,
    settings,
    ...questions,
    envelope: {
      entrypoint: options.entrypoint === "cli" ? "cli" : "sdk-ts",
      cwd,
      sessionId: id,
      version,
      ...(environment.branch === undefined ? {} : { gitBranch: environment.branch }),
    },
    models,
    tools: createTools({
      defaultType: settings.agents.defaultType,
      canSearch: models.canSearch,
      background: allowsBackground,
      added: options.tools,
    }),
    allowsBackground,
    life: { isOver: false },
    limits: options.limits,
    prices: settings.prices,
    slots: new Slots(
      { ...options.limits, perModel: byModelId(options.limits.perModel, settings) },
      options.clock,
    ),
    bus: new EventBus(),
    ledger: new FileLedger(),
    tree: new TreeLock(),
    sandbox: settings.sandbox.enabled
      ? new SessionSandbox({
          settings: settings.sandbox,
          ownDirectories: [resolve(options.configDir), projectDir],
          logger,
        })
      : undefined,
    clock: options.clock,
    logger,
    redactor,
    family: familyOf(
      () => runtime,
      () => types,
    ),
  };
  const warned = new Set<string>();
  const warnOnce = ({ severity, file, line, message }: Diagnostic): void => {
    const key = `${file}:${line}:${message}`;
    if (severity === "info" || warned.has(key)) return;
    warned.add(key);
    logger.warn({ file, line }, message);
  };
  const catalog = catalogOf(configuration, {
    entrypoint: options.entrypoint,
    programmatic,
    report: warnOnce,
  });
  const isReopened = options.session !== undefined;
  const runtime: SessionRuntime = {
    session,
    earlier: new EarlierAgents({ paths, isReopened }),
    registry: new Registry(session, { isReopened }),
    surroundings: {
      environment,
      redactor,
      report: warnOnce,
      settings,
      limits: options.limits,
      models,
      availableTools: [...session.tools.values()],
      project: projectFolder(cwd),
      trusted: configuration.trusted,
      workspace: sessionWorkspace(environment, added),
      own: ownDirectories(resolve(options.configDir), projectDir),
      readable: [session.paths.resultsDir, session.paths.tasksDir],
      allowsBypass: options.allowBypassPermissions && !bypassIsOff(settings),
      childMode:
        options.childPermissionMode && modeBySettings(options.childPermissionMode, settings),
      subagentModel: process.env["CLAUDE_CODE_SUBAGENT_MODEL"],
    },
    meets: {
      permissions: {
        rules: [...rulesOfSettings(configuration), ...options.allowedTools],
        takesSessionGrants: true,
        confined: [],
      },
      mode: sessionMode(modeBySettings(options.permissionMode, settings)),
    },
    spawns: new Gate(1),
    configuration,
    files: new FreshLook(async () => {
      types = await catalog();
      return { catalog: types, instructions: once(() => environment.instructions()) };
    }),
    mainDefinition,
  };
  return runtime;
}

function refuseMissing({ sessionDir }: SessionPaths): void {
  if (existsSync(sessionDir)) return;
  throw new RetinueError(
    "invalid_config",
    `session: ${sessionDir} does not exist. Set cwd to the directory in which the session ran.`,
  );
}

/** Opens the inbox for the questions of agents, and the grants of its answers. */
function openQuestions(
  { clock, configDir, inbox }: CheckedOptions,
  session: Pick<Session, "id" | "paths" | "settings" | "logger" | "redactor"> & { cwd: string },
): Pick<Session, "inbox" | "grants" | "denials" | "judges"> {
  const { id, paths, cwd, settings, logger, redactor } = session;
  const now = (): number => clock.now();
  const managedRulesOnly = settings.allowManagedPermissionRulesOnly;
  const grants = new Grants({ cwd, configDir: resolve(configDir), now, managedRulesOnly });
  const judges: Session["judges"] = new Map();
  return {
    grants,
    judges,
    denials: new Denials(),
    inbox: new Inbox({
      sessionId: id,
      directory: paths.inboxDir,
      audit: new AuditLog({ path: paths.auditLog, logger, now, redactor }),
      grants,
      clock,
      logger,
      ...inbox,
      redact: redactor.deep,
      covers: (rules, request, scope) =>
        judges.get(request.agentId)?.(rules, request, scope) ?? false,
    }),
  };
}

/** Definitions given by a host or on the command line. Broken ones throw, because their author is right there. */
export function programmaticDefinitions(
  agents: Record<string, Record<string, unknown>>,
  logger: Logger,
): AgentDefinition[] {
  return Object.entries(agents).map(([name, { prompt, ...fields }]) => {
    const where = `agents.${name}`;
    if (typeof prompt !== "string" || prompt === "") {
      throw new RetinueError(
        "invalid_config",
        `${where}: 'prompt' must be a non-empty text: the agent's system prompt.`,
      );
    }
    const origin = { prompt, source: "programmatic", file: null, where } as const;
    const { definition, diagnostics } = toDefinition({ ...fields, name }, origin);
    const problems = diagnostics.filter(({ code }) => code !== "unsupported");
    if (definition === null || problems.length > 0) {
      const messages = problems.map(({ message }) => `${where}: ${message}`);
      throw new RetinueError("invalid_config", messages.join(" "));
    }
    for (const { message } of diagnostics) logger.warn({ agent: name }, message);
    return definition;
  });
}

/** The definition of the main agent if the request names no type. */
export async function mainDefinition(): Promise<AgentDefinition> {
  const file = packagePath("prompts/main.md");
  const { definitions, diagnostics } = await loadDefinitionFile(file, "built-in");
  const [definition] = definitions;
  if (definition === undefined) {
    throw new RetinueError(
      "invalid_config",
      `${file}: ${diagnostics[0]?.message ?? "is missing"}. Reinstall the package.`,
    );
  }
  return definition;
}

/** The directories as given, and after resolving links. */
function ownDirectories(...directories: string[]): string[] {
  return [...new Set(directories.flatMap((one) => [one, realPath(one)]))];
}

function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new RetinueError(
      "invalid_config",
      `cwd: ${path} is not a directory that can be read. Name an existing one.`,
      { cause: error },
    );
  }
}

function privateDirectory(path: string): string {
  try {
    makePrivateDirectory(path);
    return realpathSync(path);
  } catch (error) {
    throw new RetinueError(
      "storage",
      `Transcripts cannot be written to ${path} (${errorMessage(error)}). Set CLAUDE_CONFIG_DIR to a directory that you may write to.`,
      { cause: error },
    );
  }
}
