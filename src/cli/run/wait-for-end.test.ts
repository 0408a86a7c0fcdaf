import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readAgent } from "../../transcript/agent-on-disk.ts";
import { addSession, alive, configDirectory } from "../../transcript/session-fixture.ts";
import { waitForEnd } from "./wait-for-end.ts";

test("whoever waits for an agent whose files vanish is told so", async () => {
  const directory = addSession(configDirectory(), "s", {
    days: 1,
    main: { state: "running", ...alive },
  });
  const agent = await readAgent(join(directory, "main.meta.json"));
  if (agent === undefined) throw new Error("There is no agent.");
  rmSync(directory, { recursive: true });
  await expect(waitForEnd(agent, new AbortController().signal)).rejects.toMatchObject({
    code: "unknown_task",
  });
});
