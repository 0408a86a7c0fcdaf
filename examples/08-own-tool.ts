// A tool of your own: a function that agents may call, under the same rules as every other tool.
import { createManager, createRehearsal, createTool, parseScenario } from "retinue";

const orders = new Map([["4711", "shipped"]]);

const orderStatus = createTool({
  name: "OrderStatus",
  description: "The status of an order, by its number.",
  input: {
    type: "object",
    properties: { number: { type: "string", description: "For example 4711" } },
    required: ["number"],
  },
  // A lookup that changes nothing. A tool with the effect "none" would run without any question.
  effect: "look",
  execute({ number }) {
    const status = orders.get(String(number));
    if (status === undefined) throw new Error(`There is no order ${String(number)}.`);
    return `Order ${String(number)} is ${status}.`;
  },
});

const script = `
turns:
  - turn: 1
    reply:
      - { call: OrderStatus, input: { number: "4711" } }
      - { call: OrderStatus, input: { number: "1" } }
  - { turn: 2, reply: "{{ results.1 }} {{ results.2 }}" }
`;
await using manager = createManager({
  model: createRehearsal(parseScenario(script, "script")),
  tools: [orderStatus],
  allowedTools: ["OrderStatus"],
  agents: {
    support: {
      description: "Answers customers.",
      prompt: "You answer customers.",
      tools: ["OrderStatus"],
    },
  },
});

const agent = await manager.spawn({ subagent_type: "support", prompt: "Where are my orders?" });
const { content } = await manager.output(agent.id, { block: true });
console.log(content);
