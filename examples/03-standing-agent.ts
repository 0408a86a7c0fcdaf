// An agent without a task stands idle and takes one task after the other, in one history.
import { createManager, createRehearsal, parseScenario } from "retinue";

const script = `
turns:
  - { last: /name is (\\w+)/, reply: "Hello {{ match.1 }}." }
  - { last: /my name/, reply: "You told me before." }
`;
await using manager = createManager({ model: createRehearsal(parseScenario(script, "script")) });

const agent = await manager.spawn({ subagent_type: "general-purpose", name: "clerk" });
for (const task of ["My name is Ada", "What is my name?"]) {
  const { content } = await manager.process(agent.id, task);
  console.log(content);
}
console.log(manager.get(agent.id)?.state);
