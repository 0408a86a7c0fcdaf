import { createManager, createRehearsal, parseScenario } from "retinue";

const script = `turns: [{ agent: Explore, reply: "There are 2 files." }]`;
await using manager = createManager({ model: createRehearsal(parseScenario(script, "script")) });

const agent = await manager.spawn({ subagent_type: "Explore", prompt: "How many files are here?" });
await manager.output(agent.id, { block: true });

// A note for whoever reads the transcript, and for the agent when it is resumed.
await manager.transcripts.append(agent.id, "Ada has counted them: it is right.");
const { messages, entries } = await manager.transcripts.load(agent.id);
console.log(messages.map(({ role }) => role).join(", "));
for (const entry of entries) {
  if (entry.kind === "attachment" && entry.attachment.type === "notice")
    console.log("note:", entry.attachment.text);
}

await manager.remove(agent.id);
console.log("left:", (await manager.transcripts.list()).length);
