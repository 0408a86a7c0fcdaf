import { onTestFinished, expect, test } from "vitest";
import { FakeModel } from "../bench/fake-model.ts";
import { floorProgram } from "../bench/programs.ts";
import { runWorkload } from "../bench/run-workload.ts";
import { Workspace } from "../bench/workspace.ts";

test("on the bench, the floor delegates once, the child reads three files, and every word arrives", async () => {
  const workspace = new Workspace();
  onTestFinished(() => workspace[Symbol.dispose]());
  await using model = await FakeModel.start({ latencyMs: 0, directory: workspace.repository });

  const run = await runWorkload(floorProgram(workspace.compileFloor()), "S1", { model, workspace });

  expect(run.problems).toEqual([]);
  expect(run.requests).toBe(6);
  expect(run.childrenAnswered).toBe(1);
});
