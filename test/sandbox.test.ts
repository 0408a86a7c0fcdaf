import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readConfiguration } from "../src/session/configuration.ts";
import { openSandbox } from "../src/tools/shell/shell-tools-fixture.ts";
import { setStage, temporaryDirectory, writeFiles } from "./support/stage.ts";

const { PATH } = process.env;

afterEach(() => {
  process.env["PATH"] = PATH;
});

const scenario = `
turns:
  - turn: 1
    reply: [{ call: Bash, input: { command: "echo x > ../beside; echo y > inside; cat inside" } }]
  - turn: 2
    reply: "{{ results.1 }}"
`;

describe("where there can be no sandbox", () => {
  test("nothing starts, and the error names the remedy", async () => {
    const { manager, events } = setStage(scenario, { settings: { sandbox: { enabled: true } } });
    process.env["PATH"] = "/nowhere";
    await expect(manager.main({ prompt: "go" })).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(/^The sandbox .* or set sandbox\.enabled to false\.$/),
    });
    expect(events).toEqual([]);
    expect(manager.list({ all: true })).toEqual([]);
  });

  test("it goes on without one, with a warning, only if the settings say so", async () => {
    const warnings: string[] = [];
    const logger = {
      info: () => undefined,
      warn: (_: object, message: string) => void warnings.push(message),
      child: () => logger,
    };
    const { manager } = setStage("turns: [{ reply: done }]", {
      settings: { sandbox: { enabled: true, failIfUnavailable: false } },
      logger,
    });
    process.env["PATH"] = "/nowhere";
    const { id } = await manager.main({ prompt: "go" });
    expect(await manager.output(id, { block: true })).toMatchObject({ state: "completed" });
    expect(warnings).toEqual([expect.stringContaining("Bash runs WITHOUT a sandbox")]);
  });
});

const opened = await openSandbox();
if (typeof opened !== "string") await opened.session.close();
const why = typeof opened === "string" ? ` (not here: ${opened})` : "";

test.skipIf(typeof opened === "string")(
  `an agent's commands run in the sandbox of its session${why}`,
  async () => {
    const { manager } = setStage(scenario, {
      settings: { sandbox: { enabled: true } },
      allowedTools: ["Bash"],
    });
    const { id } = await manager.main({ prompt: "go" });
    const { content } = await manager.output(id, { block: true });
    expect(content).toContain("../beside: Read-only file system");
    expect(content).toContain("y");
    await manager.close();
  },
);

test.each([
  [{ sandbox: { enabled: "yes" } }, 1],
  [{ sandbox: true }, 1],
  [{ sandbox: { enabled: true, filesystem: { denyRead: "x" } } }, 1],
  [{ sandbox: { enabled: true, network: { allowManagedDomainsOnly: true } } }, 1],
  [{ sandbox: { filesystem: { somethingNew: 1 } } }, 0],
])("limits of a file that would not hold keep a session from starting: %j", (settings, count) => {
  const cwd = temporaryDirectory();
  writeFiles(cwd, { "user/settings.json": JSON.stringify(settings) });
  const { unreadSettings, loader } = readConfiguration({ cwd, configDir: join(cwd, "user") });
  loader[Symbol.dispose]();
  expect(unreadSettings).toHaveLength(count);
});
