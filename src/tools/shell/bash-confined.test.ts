import { describe, test } from "vitest";
import { bubblewrap } from "../../platform/sandbox/bubblewrap.ts";
import { ToolBench } from "./shell-tools-fixture.ts";

// Everything that holds for Bash holds for commands that nobody approved too.
const found = await bubblewrap();
if ("missing" in found) {
  describe("Bash in the tight sandbox", () => {
    test.skip(`is not tested here: ${found.missing}`, () => undefined);
  });
} else {
  ToolBench.confinedTo = "edit";
  await import("./bash.test.ts");
}
