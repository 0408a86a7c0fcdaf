import { afterAll, describe, test } from "vitest";
import { openSandbox, ToolBench } from "./shell-tools-fixture.ts";

// Everything that holds for Bash holds in the sandbox too.
const opened = await openSandbox();
if (typeof opened === "string") {
  describe("Bash in the sandbox", () => {
    test.skip(`is not tested here: ${opened}`, () => undefined);
  });
} else {
  ToolBench.sandbox = opened;
  afterAll(() => opened.session.close());
  await import("./bash.test.ts");
}
