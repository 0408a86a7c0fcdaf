import type { Manager } from "../manager.ts";

/** Until nothing is at work any more. Agents that go on bring others back. */
export async function untilQuiet(manager: Manager): Promise<void> {
  for (;;) {
    const busy = manager.list().filter(({ state }) => state !== "idle");
    if (busy.length === 0) return;
    await Promise.all(busy.map(({ id }) => manager.output(id, { block: true })));
  }
}
