import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { configDirectory } from "../../transcript/session-fixture.ts";
import { detach } from "./detach.ts";

test("a process that cannot be started is an error with its reason, and leaves no log", async () => {
  const { execPath, env } = process;
  const before = env["CLAUDE_CONFIG_DIR"];
  const config = configDirectory();
  onTestFinished(() => {
    process.execPath = execPath;
    if (before === undefined) delete env["CLAUDE_CONFIG_DIR"];
    else env["CLAUDE_CONFIG_DIR"] = before;
  });
  env["CLAUDE_CONFIG_DIR"] = config;
  process.execPath = join(config, "no-node");
  await expect(detach("run", ["task"], {})).rejects.toMatchObject({
    name: "RetinueError",
    message: expect.stringMatching(/ENOENT.*without -d/) as string,
  });
  expect(readdirSync(join(config, "retinue"))).toEqual([]);
});
