import { describe, test } from "vitest";
import { bubblewrap } from "../../platform/sandbox/bubblewrap.ts";
import { ToolBench } from "./shell-tools-fixture.ts";

// Everything that holds for commands in the background holds for commands that nobody approved too.
const found = await bubblewrap();
if ("missing" in found) {
  describe("commands in the background in the tight sandbox", () => {
    test.skip(`are not tested here: ${found.missing}`, () => undefined);
  });
} else {
  ToolBench.confinedTo = "edit";
  await import("./bash-background.test.ts");
}
