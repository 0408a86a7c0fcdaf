import { createRehearsal, parseScenario, type Model } from "../../src/index.ts";
import { countedCalls } from "./counted-calls.ts";
import { unscripted } from "./unscripted.ts";

/** The options of a session that is made to be killed. */
export interface CrashScript {
  scenario: string;
  /** The ids of calls begin anew with each answer. */
  countsCalls: boolean;
  /** Answers come under the names of real models, so that they have prices. */
  priced: boolean;
}

export function crashModel({ scenario, countsCalls, priced }: CrashScript): Model {
  const model = priced
    ? unscripted(scenario)
    : createRehearsal(parseScenario(scenario, "scenario.yaml"));
  return countsCalls ? countedCalls(model) : model;
}
