import { join } from "node:path";
import { catalogOf, readConfiguration } from "../../session/configuration.ts";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import { explainDecision, type TraceLine } from "../../permissions/decide.ts";
import type { Decision, Verdict } from "../../permissions/decision.ts";
import { realGround } from "../../permissions/ground.ts";
import { Rulebook } from "../../permissions/policy.ts";
import { rulesAlone } from "../../permissions/rules/rules-alone.ts";
import { realPath } from "../../platform/files/real-path.ts";
import type { SourcedRule } from "../../contract/resolved-agent.ts";
import { pathsOfCall } from "../../tools/files/paths-of-call.ts";
import { toolName } from "../../tools/registry.ts";
import { CaseStage } from "./case-stage.ts";
import type { PermissionCase } from "./permission-case.ts";

/** The outcome of a case, with its own placeholders for the directories that it had. */
export interface JudgedCase {
  readonly id: string;
  readonly why: string;
  readonly expected: Verdict;
  readonly decision: Decision;
  /** Every stage of the decision, and its answer. */
  readonly trace: readonly TraceLine[];
}

/** Decides one case, in directories of its own. Runs nothing. Throws `invalid_config` naming the case. */
export async function judgeCase(
  given: PermissionCase,
  context: { source: string; rules: readonly SourcedRule[] },
): Promise<JudgedCase> {
  using stage = new CaseStage();
  try {
    const one = stage.fill(given);
    stage.lay(one.fixture);
    const tool = toolName(one.tool);
    const agentType = tool === "Agent" ? await typesIn(stage) : (name?: string) => name ?? "";
    const ground = realGround(one.cwd, stage.home);
    const book = new Rulebook(policyOf(one, stage, context), () => [], ground);
    const call = { tool, input: one.input, paths: pathsOfCall(tool, one.input, ground), agentType };
    const canAsk = !one.background || one.mode === "bubble";
    const { decision, trace } = await explainDecision(book, call, { canAsk });
    return stage.unfill({ id: one.id, why: one.why, expected: one.expect, decision, trace });
  } catch (error) {
    if (!(error instanceof RetinueError)) throw error;
    const message = `${context.source}: case '${given.id}': ${stage.unfill(errorMessage(error))}`;
    throw new RetinueError("invalid_config", message, { cause: error });
  }
}

function policyOf(
  { id, mode, rules, cwd, additionalDirectories }: PermissionCase,
  { project }: CaseStage,
  context: { source: string; rules: readonly SourcedRule[] },
): Rulebook["policy"] {
  const source = `${context.source}: ${id}`;
  const own = (["deny", "ask", "allow"] as const).flatMap((kind) =>
    rules[kind].map((rule) => ({ kind, rule, source })),
  );
  const directories = [cwd, ...additionalDirectories].flatMap((path) => [path, realPath(path)]);
  return {
    ...rulesAlone(cwd, [...own, ...context.rules]),
    mode,
    project,
    directories: [...new Set(directories)],
  };
}

/** The built-in agent types, and those that the fixtures of the case bring. */
async function typesIn({ root, project, home }: CaseStage): Promise<(name?: string) => string> {
  const configuration = readConfiguration({
    cwd: project,
    configDir: join(home, ".claude"),
    managedDir: join(root, "managed"),
  });
  using loader = configuration.loader;
  const catalog = await catalogOf(
    { ...configuration, loader },
    { entrypoint: "cli", programmatic: () => [], report: () => undefined },
  )();
  const { defaultType } = configuration.settings.agents;
  return (name) => catalog.typeOf(name ?? defaultType);
}
