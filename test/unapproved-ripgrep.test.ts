import { symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { setStage, temporaryDirectory } from "./support/stage.ts";

const require = createRequire(import.meta.url);

test("ripgrep that nobody has approved prints nothing of a file that an ignore file leads to", async () => {
  const { rgPath } = require("@vscode/ripgrep") as { rgPath: string };
  vi.stubEnv("PATH", [dirname(rgPath), process.env["PATH"]].join(delimiter));
  const secret = join(temporaryDirectory(), "credentials.json");
  writeFileSync(secret, "{ canary [1\n");
  const reply = JSON.stringify([{ call: "Bash", input: { command: "rg hello 2>&1" } }]);
  const { manager, cwd } = setStage(
    `turns: [{ turn: 1, reply: ${reply} }, { turn: 2, reply: "{{ results.1 }}" }]`,
    { settings: { sandbox: { autoApproved: false } }, files: { "a.txt": "hello\n" } },
  );
  symlinkSync(secret, join(cwd, ".ignore"));
  const { id } = await manager.main({ prompt: "go" });
  const { content } = await manager.output(id, { block: true });
  expect(content).toContain("a.txt:hello");
  expect(content).not.toContain("canary");
});
