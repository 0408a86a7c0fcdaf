import { createManager, createRehearsal, parseScenario } from "retinue";

// A scripted model, so that this runs without a key; any Model will do.
const script = `turns: [{ agent: Explore, reply: "There are 2 files." }]`;
await using manager = createManager({ model: createRehearsal(parseScenario(script, "script")) });

const agent = await manager.spawn({ subagent_type: "Explore", prompt: "How many files are here?" });
const { state, content } = await manager.output(agent.id, { block: true });
console.log(state, content);
