// One life of a session, made to be killed: begins it or goes on with what an earlier life left, until everything is done.
// What it was told by the manager it writes down at once, so that after its death nothing that was acknowledged is unknown.
import { openSync, readFileSync, writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { createManager, createRehearsal, parseScenario, type Manager } from "../../../src/index.ts";
import { findOrphans } from "../../../src/processes/orphans.ts";
import { acknowledged, type Acknowledged, type LifeOptions } from "./acknowledged.ts";
import { agentTypes } from "./work.ts";

const { cwd, configDir, scenario, log, session, maxRunning, durability } = JSON.parse(
  process.argv[2] ?? "",
) as LifeOptions;
const file = openSync(log, "a", 0o600);
const note = (what: Acknowledged): void => void writeSync(file, `${JSON.stringify(what)}\n`);
const say = (word: string): void => void writeSync(1, `${word}\n`);

// Whoever is killed leaves no cache otherwise, and loading is most of a short life.
flushCompileCache();
say("opening");
const manager = createManager({
  model: createRehearsal(parseScenario(readFileSync(scenario, "utf8"), scenario)),
  cwd,
  configDir,
  ...(session === null ? {} : { session }),
  agents: agentTypes,
  allowedTools: ["Bash"],
  limits: { maxRunning, maxSpawnDepth: 3, maxTurns: 1000 },
  durability,
  logger: repairLogger(),
});
say(`open ${manager.sessionId}`);
const stream = manager.events();
const reading = readEvents();
if (session === null) await manager.main({ prompt: "go" });
else await goOn();
await untilQuiet(manager);
await manager.close();
await reading;
say("done");

async function goOn(): Promise<void> {
  const { failed } = await manager.resumeAll();
  for (const { id, error } of failed) note({ kind: "not-resumed", id, why: String(error) });
  const ours = new Set<string>(manager.list({ all: true }).map(({ id }) => id));
  const left = (await findOrphans()).filter(({ agentIds }) => agentIds.some((id) => ours.has(id)));
  note({ kind: "orphans", left: left.length });
}

async function readEvents(): Promise<void> {
  let isFirst = true;
  let count = 0;
  for await (const event of stream) {
    if (isFirst) say("working");
    isFirst = false;
    const told = acknowledged(event);
    if (told !== undefined) note(told);
    if (event.type !== "tool-call-end") continue;
    count += 1;
    if (count % 7 === 0) await sendTo(event.agentId);
    if (count % 41 === 0) await letGo(event.agentId);
  }
}

/** A receipt is an acknowledgement, too. */
async function sendTo(agentId: string): Promise<void> {
  try {
    const { messageId } = await manager.send(agentId, "how is it going?");
    note({ kind: "sent", agentId, messageId });
  } catch {
    // It has ended meanwhile.
  }
}

/** Its parent does not wait for it any more, and has to be told of its end. */
async function letGo(agentId: string): Promise<void> {
  try {
    await manager.background(agentId);
  } catch {
    // It is the main agent, or has ended meanwhile.
  }
}

/** Agents that go on bring others back. */
async function untilQuiet(manager: Manager): Promise<void> {
  for (;;) {
    const busy = manager.list();
    if (busy.length === 0) return;
    await Promise.all(busy.map(({ id }) => manager.output(id, { block: true })));
  }
}

function repairLogger() {
  const warn = (fields: Record<string, unknown>, message: string): void => {
    if (typeof fields["torn"] === "number" && fields["torn"] > 0)
      note({ kind: "repaired", file: String(fields["file"]), bytes: fields["torn"] });
    else note({ kind: "warning", message });
  };
  const logger = { info: () => undefined, warn, child: () => logger };
  return logger;
}
