import { RetinueError } from "../errors.ts";
import { createRehearsal, type RehearsalModel } from "../model/rehearsal.ts";
import { loadScenario, type Scenario } from "../model/scenario.ts";

/** Where the answers of a run come from. */
export async function chooseModel(options: {
  rehearse?: string;
}): Promise<{ model: RehearsalModel; scenario: Scenario }> {
  if (options.rehearse === undefined || options.rehearse === "") {
    throw new RetinueError(
      "no_model",
      "No model available. Use --rehearse FILE to answer from a scenario, or 'retinue demo' to see one.",
    );
  }
  const scenario = await loadScenario(options.rehearse);
  return { model: createRehearsal(scenario), scenario };
}
