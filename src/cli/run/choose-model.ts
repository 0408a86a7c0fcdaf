import { RetinueError } from "../../contract/errors.ts";
import type { Model } from "../../model/model.ts";
import type { RehearsalModel } from "../../model/rehearsal/rehearsal.ts";
import type { Scenario } from "../../model/rehearsal/scenario.ts";

/** The source of a run's answers. */
export interface ModelChoice {
  model: Model;
  /** The scenario and its model, if answers are scripted. */
  rehearsal: { scenario: Scenario; model: RehearsalModel } | null;
}

/** Chooses a scenario if one is named, else the provider for which there are credentials. Loads only the chosen one. */
export async function chooseModel(options: { rehearse?: string }): Promise<ModelChoice> {
  if (options.rehearse !== undefined && options.rehearse !== "") {
    const { createRehearsal } = await import("../../model/rehearsal/rehearsal.ts");
    const { loadScenario } = await import("../../model/rehearsal/scenario.ts");
    const scenario = await loadScenario(options.rehearse);
    const model = createRehearsal(scenario);
    return { model, rehearsal: { scenario, model } };
  }
  const { createAnthropic } = await import("../../model/anthropic/anthropic.ts");
  try {
    return { model: createAnthropic(), rehearsal: null };
  } catch (error) {
    if (!(error instanceof RetinueError) || error.code !== "no_model") throw error;
    throw new RetinueError(
      "no_model",
      `${error.message} Without a key: --rehearse FILE, or 'retinue demo'.`,
    );
  }
}
