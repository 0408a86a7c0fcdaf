import { afterAll, describe, test } from "vitest";
import { openSandbox, ToolBench } from "./shell-tools-fixture.ts";

// Everything that holds for commands in the background holds in the sandbox too.
const opened = await openSandbox();
if (typeof opened === "string") {
  describe("commands in the background in the sandbox", () => {
    test.skip(`are not tested here: ${opened}`, () => undefined);
  });
} else {
  ToolBench.sandbox = opened;
  afterAll(() => opened.session.close());
  await import("./bash-background.test.ts");
}
