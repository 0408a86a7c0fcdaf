import { existsSync, globSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createManager,
  createRehearsal,
  parseScenario,
  serveSession,
  type Manager,
} from "../src/index.ts";
import { AnthropicServer, scenarioPlayer } from "../src/model/anthropic/server-fixture.ts";
import type { Logger } from "../src/platform/logger.ts";
import { socketPath } from "../src/platform/private-socket.ts";
import { startNode } from "./support/started.ts";
import { office, untilGo, type Office } from "./support/office.ts";
import { until } from "./support/until.ts";

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
  expect(deaf.stderr).toContain(`runs in process ${process.pid}, which has no control socket`);
  expect(deaf.stderr).toContain("serveSession(manager)");

  const served = await serveSession(manager);
  expect(await serveSession(manager)).toBe(served);
  expect(served.socket.startsWith(join(place.runtime, "retinue"))).toBe(true);
  await served.close();
  await served.close();
  expect(existsSync(served.socket)).toBe(false);
  expect((await retinue("stop", "helper")).stderr).toContain("has no control socket");

  const again = await serveSession(manager);
  expect(await json("stop", "--json", "helper")).toMatchObject([
    { id: agent.id, state: "stopped" },
  ]);
  expect(manager.get(agent.id)?.state).toBe("stopped");
  await manager.close();
  await again.close();
  expect([again.socket, leaseFile(manager)].filter((file) => existsSync(file))).toEqual([]);
});

const askingHost = fileURLToPath(new URL("support/asking-host.ts", import.meta.url));

test("a program that never serves its session is answered from a terminal: its socket opens with its first question", async () => {
  const place = office();
  const env = {
    ...process.env,
    CLAUDE_CONFIG_DIR: place.config,
    XDG_RUNTIME_DIR: place.runtime,
  };
  const program = startNode([askingHost], { cwd: place.cwd, env, stdin: "ignore" });
  await until(() => expect(program.printed().stdout).toMatch(/^q\w{8}\n$/));
  const id = program.printed().stdout.trim();
  // At once: whoever comes before the socket is open waits for it.
  expect(await place.retinue("approve", id)).toMatchObject({ code: 0, stderr: "" });
  expect(await program.ended).toEqual({ code: 0, stdout: `${id}\ncompleted\n`, stderr: "" });
  expect(existsSync(join(place.cwd, "made"))).toBe(true);
  expect(readdirSync(join(place.runtime, "retinue"))).toEqual([]);
});

const makesTwo = JSON.stringify({
  turns: [
    ...[1, 2].map((turn) => ({
      turn,
      reply: [{ call: "Bash", input: { command: `touch ${turn}` } }],
    })),
    { turn: 3, reply: "done" },
  ],
});

test("a program whose socket cannot be opened says so once, and its agents are answered in it as ever", async () => {
  const { cwd, config, runtime } = office();
  vi.stubEnv("XDG_RUNTIME_DIR", runtime);
  onTestFinished(() => void vi.unstubAllEnvs());
  const warnings: string[] = [];
  const logger: Logger = {
    info: () => undefined,
    warn: (_, message) => void warnings.push(message),
    child: () => logger,
  };
  const model = createRehearsal(parseScenario(makesTwo, "s.yaml"));
  await using manager = createManager({ model, cwd, configDir: config, logger });
  const { sessionId, lease } = manager;
  mkdirSync(socketPath({ sessionId, token: lease.token }) ?? "");
  const asked: string[] = [];
  manager.inbox.subscribe(({ type, request }) => {
    if (type !== "asked") return;
    asked.push(request.id);
    void manager.inbox.answer(request.id, { verdict: "allow", scope: "once" });
  });
  const { id } = await manager.spawn({ prompt: "x", subagent_type: "general-purpose" });
  expect(await manager.output(id, { block: true })).toMatchObject({ content: "done" });
  expect(asked).toHaveLength(2);
  await until(() =>
    expect(warnings).toEqual([
      expect.stringMatching(/Other terminals cannot answer .* Set XDG_RUNTIME_DIR/) as string,
    ]),
  );
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

test("a run has no socket before its first request is out", async () => {
  const atRequest: string[][] = [];
  const play = scenarioPlayer(parseScenario(untilGo, "s.yaml"));
  await using model = await AnthropicServer.start((request) => {
    atRequest.push(sockets());
    return play(request);
  });
  const { start, go, runtime } = office(untilGo, {
    ANTHROPIC_API_KEY: "key",
    ANTHROPIC_BASE_URL: model.url,
  });
  const sockets = (): string[] =>
    readdirSync(runtime, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isSocket())
      .map(({ name }) => name);
  const { ended } = start("run", "-p", "--allowedTools", "Bash", "x");
  await until(() => expect(sockets()).toHaveLength(1));
  go();
  expect(await ended).toMatchObject({ code: 0, stdout: "went\n" });
  expect(atRequest[0]).toEqual([]);
});
