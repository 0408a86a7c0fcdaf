import { createRehearsal, parseScenario, type Model } from "../../src/index.ts";

/** Answers of a scenario under the names of real models, so that they have prices. */
export function unscripted(scenario: string): Model {
  const model = createRehearsal(parseScenario(scenario, "scenario.yaml"));
  return {
    provider: "test",
    scripted: false,
    async *stream(request, signal) {
      const answer = yield* model.stream(request, signal);
      return { ...answer, model: request.model };
    },
  };
}
