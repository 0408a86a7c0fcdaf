// A child runs in the background: its parent goes on, can be told things, and hears when the child has ended.
import { createManager, createRehearsal, parseScenario } from "retinue";

const script = `
turns:
  - agent: main
    turn: 1
    reply:
      - call: Agent
        input: { description: Count, prompt: Count them, subagent_type: Explore, run_in_background: true }
  - { agent: main, last: /<result>(.*?)</, reply: "The child says: {{ match.1 }}" }
  - { agent: main, reply: "I go on meanwhile." }
  - { agent: Explore, turn: 1, reply: [{ call: Glob, input: { pattern: "*" } }] }
  - { agent: Explore, turn: 2, reply: "There are none." }
`;
await using manager = createManager({ model: createRehearsal(parseScenario(script, "script")) });

const main = await manager.main({ prompt: "Have them counted, and go on" });
const { content } = await manager.output(main.id, { block: true });
console.log(content);
