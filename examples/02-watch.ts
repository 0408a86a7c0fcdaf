// A lead hands work to two children at once; everything they do arrives as events.
import { createManager, createRehearsal, parseScenario } from "retinue";

const script = `
turns:
  - agent: main
    turn: 1
    reply:
      - { call: Agent, input: { subagent_type: Explore, description: Count, prompt: Count the files } }
      - { call: Agent, input: { subagent_type: Explore, description: Search, prompt: Search for TODO } }
  - { agent: main, turn: 2, reply: "Both are back." }
  - { agent: Explore, turn: 1, reply: [{ call: Glob, input: { pattern: "*" } }] }
  - { agent: Explore, turn: 2, reply: "Here is what I found." }
`;
await using manager = createManager({
  model: createRehearsal(parseScenario(script, "script")),
  allowedTools: ["Agent"],
});

const events = manager.events();
const lead = await manager.main({ prompt: "Look around" });
for await (const event of events) {
  if (event.type === "agent-start") console.log("start", event.agent.type, event.agent.description);
  if (event.type === "tool-call-end") console.log("tool ", event.call.name);
  if (event.type === "agent-end") console.log("end  ", event.result.state, event.result.content);
  if (event.type === "agent-end" && event.agentId === lead.id) break;
}
