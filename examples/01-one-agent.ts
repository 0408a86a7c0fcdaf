import { createManager, createRehearsal, parseScenario } from "retinue";

// A scripted model, so that this runs without a key; any Model will do.
const script = `turns: [{ agent: Explore, reply: "There are 2 files." }]`;
await using manager = createManager({ model: createRehearsal(parseScenario(script, "script")) });

const result = await manager.run({ subagent_type: "Explore", prompt: "How many files are here?" });
console.log(result.state, result.content);
