// An agent that has ended goes on, with its history and its id; a copy of it goes another way from an earlier turn.
import { createManager, createRehearsal, parseScenario } from "retinue";

const script = `
turns:
  - { last: /begin/, reply: "I have begun." }
  - { last: /go on/, reply: "I go on where I stopped." }
  - { last: /another way/, reply: "I take another way." }
`;
await using manager = createManager({ model: createRehearsal(parseScenario(script, "script")) });

const agent = await manager.spawn({ subagent_type: "general-purpose", prompt: "begin" });
await manager.output(agent.id, { block: true });

const again = await manager.resume(agent.id, { prompt: "go on" });
console.log(again.id === agent.id, (await manager.output(agent.id, { block: true })).content);

const copy = await manager.branch(agent.id, { turn: 1, prompt: "another way" });
console.log(copy.id === agent.id, (await manager.output(copy.id, { block: true })).content);
