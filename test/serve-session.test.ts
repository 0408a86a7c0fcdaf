import { existsSync, globSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createManager,
  createRehearsal,
  parseScenario,
  serveSession,
  type Manager,
} from "../src/index.ts";
import { AnthropicServer, scenarioPlayer } from "../src/model/anthropic-fixture.ts";
import { office, until, untilGo, type Office } from "./support/office.ts";
import { temporaryDirectory } from "./support/stage.ts";

/** A program with Retinue in it: this process. */
function host({ cwd, config, runtime }: Office): Manager {
  vi.stubEnv("XDG_RUNTIME_DIR", runtime);
  onTestFinished(() => void vi.unstubAllEnvs());
  const model = createRehearsal(parseScenario(untilGo, "s.yaml"));
  const manager = createManager({ model, cwd, configDir: config, allowedTools: ["Bash"] });
  onTestFinished(() => manager.close());
  return manager;
}

const leaseFile = ({ transcripts, sessionId }: Manager): string =>
  join(dirname(transcripts.main), sessionId, "lease.json");

test("agents of a program are reached from terminals while it serves its session, and only then", async () => {
  const place = office();
  const { retinue, json } = place;
  const manager = host(place);
  const agent = await manager.spawn({
    prompt: "x",
    subagent_type: "general-purpose",
    name: "helper",
  });
  const deaf = await retinue("stop", "helper");
  expect(deaf).toMatchObject({ code: 1, stdout: "" });
  expect(deaf.stderr).toContain(`runs in process ${process.pid}, which listens to nobody`);
  expect(deaf.stderr).toContain("serveSession(manager)");

  const served = await serveSession(manager);
  expect(await serveSession(manager)).toBe(served);
  expect(served.socket.startsWith(join(place.runtime, "retinue"))).toBe(true);
  await served.close();
  await served.close();
  expect(existsSync(served.socket)).toBe(false);
  expect((await retinue("stop", "helper")).stderr).toContain("listens to nobody");

  const again = await serveSession(manager);
  expect(await json("stop", "--json", "helper")).toMatchObject([
    { id: agent.id, state: "stopped" },
  ]);
  expect(manager.get(agent.id)?.state).toBe("stopped");
  await manager.close();
  await again.close();
  expect([again.socket, leaseFile(manager)].filter((file) => existsSync(file))).toEqual([]);
});

test("a manager whose session another process has taken ends its agents and starts no more", async () => {
  const manager = host(office());
  const agent = await manager.spawn({ prompt: "x", subagent_type: "general-purpose" });
  const path = leaseFile(manager);
  writeFileSync(`${path}.new`, JSON.stringify({ token: "theirs" }));
  renameSync(`${path}.new`, path);
  manager.lease.announce(null);
  expect(await manager.output(agent.id, { block: true })).toMatchObject({ state: "stopped" });
  await expect(manager.spawn({ prompt: "y" })).rejects.toMatchObject({ code: "closed" });
  await manager.close();
  expect(existsSync(path)).toBe(true);
});

test("a manager that cannot be made leaves no lease", () => {
  const { cwd, config } = office();
  const model = createRehearsal(parseScenario(untilGo, "s.yaml"));
  expect(() => createManager({ model, cwd, configDir: config, agents: { broken: {} } })).toThrow(
    "prompt",
  );
  expect(globSync("projects/*/*", { cwd: config })).toEqual([]);
});

test("nothing of it is loaded before the first request of a run is out", async () => {
  const directory = temporaryDirectory();
  const loaded = join(directory, "loaded");
  const hook = join(directory, "hook.mjs");
  writeFileSync(
    hook,
    `import { appendFileSync } from "node:fs";
     import { registerHooks } from "node:module";
     registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(loaded)}, url + "\\n"); return next(url, context); } });`,
  );
  const control = (): string[] =>
    readFileSync(loaded, "utf8")
      .split("\n")
      .filter((url) => /\/control-[^/]*\.js$/.test(url));
  const loadedAtRequest: string[][] = [];
  const play = scenarioPlayer(parseScenario(untilGo, "s.yaml"));
  await using model = await AnthropicServer.start((request) => {
    loadedAtRequest.push(control());
    return play(request);
  });
  const { start, go } = office(untilGo, {
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: model.url,
    NODE_OPTIONS: `--import ${hook}`,
  });
  const { ended } = start("run", "-p", "--allowedTools", "Bash", "x");
  await until(() => expect(control()).toHaveLength(1));
  go();
  expect(await ended).toMatchObject({ code: 0, stdout: "went\n" });
  expect(loadedAtRequest[0]).toEqual([]);
});
