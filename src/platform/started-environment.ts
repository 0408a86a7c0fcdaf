import { credentialVariables } from "./credential-variables.ts";
import { personsPath } from "./own-programs.ts";

/** Settings about the environment of the processes that agents start. */
export interface EnvironmentRules {
  /** Variables with their values. They win over ours. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of our credentials that are passed on. */
  readonly passes: readonly string[];
}

/**
 * The environment of all processes of agents: ours without the credentials of providers, plus the additions of
 * settings.
 */
export function startedEnvironment(
  { env, passes }: EnvironmentRules,
  ours: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const handed = Object.entries(ours).filter(
    ([name]) => !credentialVariables.has(name) || passes.includes(name),
  );
  const path = ours === process.env ? personsPath() : ours["PATH"];
  return {
    ...Object.fromEntries(handed),
    ...(path === undefined ? {} : { PATH: path }),
    ...env,
  };
}
