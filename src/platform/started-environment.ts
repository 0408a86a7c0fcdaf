import { credentialVariables } from "./credential-variables.ts";
import { personsPath } from "./own-programs.ts";

/** Settings about the environment of the processes that agents start. */
export interface EnvironmentRules {
  /** Variables with their values. They win over ours. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of our credentials that are handed on. */
  readonly passes: readonly string[];
}

/** The environment of everything that agents start: ours without the credentials of providers, and what settings add. */
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
