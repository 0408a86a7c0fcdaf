import { onTestFinished, expect, test } from "vitest";
import { FakeModel } from "../bench/fake-model.ts";
import { benchFind } from "../bench/find.ts";
import { floorProgram } from "../bench/programs.ts";
import { runWorkload } from "../bench/run-workload.ts";
import { benchScale } from "../bench/scale.ts";
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

test("on the bench, an agent is found among few and among many, and its result is printed", async () => {
  const workspace = new Workspace();
  onTestFinished(() => workspace[Symbol.dispose]());

  const figure = await benchFind(workspace, { runs: 1, size: { few: 1, many: 30 } });

  expect(figure.title).toBe("output ID: 1 and 30 ended agents");
  expect(Number.isFinite(figure.ratio?.value)).toBe(true);
});

test("the bench of scale runs both programs to the end at every size, and has a value for every bar", async () => {
  const workspace = new Workspace();
  onTestFinished(() => workspace[Symbol.dispose]());
  const size = {
    warmUps: 0,
    agents: 12,
    few: 2,
    sequence: [3, 6],
    turns: 25,
    longAgents: 1,
    shortAgents: 1,
    messages: 20,
  } as const;

  const figures = await benchScale(workspace, { runs: 1, size, latencyMs: 0 });

  const barred = Object.entries(figures).filter(([, { bar }]) => bar !== null);
  expect(barred.map(([name]) => name)).toEqual(["crowd", "memory", "heap", "transcript", "growth"]);
  for (const { value } of Object.values(figures)) {
    expect(Number.isFinite(value?.value)).toBe(true);
  }
});
