import { once } from "node:events";
import { homedir } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { userHome } from "./user-home.ts";

test("without HOME it is what the system says", () => {
  const { HOME } = process.env;
  try {
    delete process.env["HOME"];
    expect(userHome()).toBe(homedir());
  } finally {
    if (HOME !== undefined) process.env["HOME"] = HOME;
  }
});

test("rules and tools mean the same directory by ~, also in a thread with an environment of its own", async () => {
  const modules = ["absolute-path.ts", "../../permissions/ground.ts", "../../transcript/paths.ts"];
  const urls = modules.map((path) => new URL(path, import.meta.url).href);
  const program = `
    const { parentPort, workerData } = require("node:worker_threads");
    Promise.all(workerData.map((url) => import(url))).then(([paths, ground, places]) => {
      const config = places.defaultConfigDir({});
      parentPort.postMessage([paths.absolutePath("~", "/"), ground.realGround("/").home, config]);
    });`;
  const env = { HOME: "/home/of-the-thread" };
  const worker = new Worker(program, { eval: true, workerData: urls, env });
  const [told] = (await once(worker, "message")) as [string[]];
  await worker.terminate();
  expect(told).toEqual([env.HOME, env.HOME, `${env.HOME}/.claude`]);
});
