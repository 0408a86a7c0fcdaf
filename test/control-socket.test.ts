import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AgentRow } from "../src/session/agent-row.ts";
import { ControlClient } from "../src/control/client.ts";
import type { ControlPort } from "../src/control/control-port.ts";
import { removeDeadSockets } from "../src/control/dead-socket.ts";
import { socketDirectories, socketPath } from "../src/platform/private-socket.ts";
import { longestRequest } from "../src/control/protocol.ts";
import { ControlServer, type ServerOptions } from "../src/control/server.ts";
import { RetinueError } from "../src/contract/errors.ts";
import { EventBus } from "../src/events/bus.ts";
import type { AgentEvent } from "../src/events/event.ts";
import { ownProcess } from "../src/processes/process-identity.ts";
import type { Lease } from "../src/transcript/lease/lease.ts";
import { temporaryDirectory } from "./support/stage.ts";
import { until } from "./support/until.ts";
import { TestClock } from "../src/platform/clock-fixture.ts";

type Line = Record<string, unknown> & { id: unknown; error?: { code: string; message: string } };

interface Served {
  bus: EventBus;
  path: string;
  lease: Lease & { socket: string };
  server: ControlServer;
  calls: unknown[][];
}

/** A server whose port knows the agents `a` and, below it, `b`, and notes what it is asked to do. */
async function serve(
  options: Partial<ServerOptions> = {},
  port: Partial<ControlPort> = {},
): Promise<Served> {
  const path = join(temporaryDirectory(), "s.sock");
  const bus = new EventBus();
  const calls: unknown[][] = [];
  const row = (id: string, parentId: string | null): AgentRow =>
    ({ id, parentId, state: "running" }) as unknown as AgentRow;
  const rows = [row("a", null), row("b", "a"), row("z", null)];
  const server = new ControlServer(
    {
      sessionId: "the-session",
      get: (id) => rows.find((row) => row.id === id),
      list: () => rows,
      output: () => new Promise(() => undefined),
      events: (subscription) => bus.subscribe(subscription),
      stop: (...args) => {
        calls.push(["stop", ...args]);
        return Promise.resolve({ ...row("a", null), died: { agents: [], processes: 0 } });
      },
      ...port,
    } as ControlPort,
    { path, token: "secret", ...options },
  );
  await server.listen();
  onTestFinished(() => server.close());
  const lease = {
    ...ownProcess(),
    token: "secret",
    socket: path,
    beatAt: 0,
  };
  return { bus, path, lease, server, calls };
}

/** A client that says what it likes, and everything that it was told. */
async function dial(
  path: string,
): Promise<{ socket: Socket; lines: Line[]; closed: Promise<unknown> }> {
  const socket = connect(path);
  await once(socket, "connect");
  onTestFinished(() => void socket.destroy());
  const lines: Line[] = [];
  let rest = "";
  socket.on("data", (chunk: Buffer) => {
    const parts = (rest + String(chunk)).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((part) => JSON.parse(part) as Line));
  });
  socket.on("error", () => undefined);
  return { socket, lines, closed: once(socket, "close") };
}

const event = (agentId: string, body: object): AgentEvent =>
  ({ agentId, sessionId: "s", at: 0, type: "text-delta", text: "", ...body }) as AgentEvent;
const ask = (method: string, params: object, more: object = {}): string =>
  `${JSON.stringify({ id: 1, token: "secret", method, params, ...more })}\n`;

test.each([["another"], ["secreT"], [""], [42], [null], [undefined]])(
  "a request with the token %j is refused, and its connection ended",
  async (token) => {
    const { path, calls } = await serve();
    const { socket, lines, closed } = await dial(path);
    socket.write(ask("stop", { id: "a" }, { token }));
    socket.write(ask("stop", { id: "a" }, { token }));
    await closed;
    expect(lines[0]).toMatchObject({ id: 1, error: { code: "invalid_request" } });
    expect(JSON.stringify(lines)).not.toContain("secret");
    expect(calls).toEqual([]);
  },
);

test("whatever else is not a request is answered with an error, and the next one with its result", async () => {
  const { path } = await serve();
  const { socket, lines } = await dial(path);
  const bad = [
    "garbage\n",
    '{"id": 1\n',
    "\u0000\u0001\n",
    ask("nothing", {}),
    ask("stop", {}),
    ask("stop", { id: "x".repeat(1000) }),
    ask("stop", { id: "a", graceMs: -1 }),
    ask("output", { id: "a", timeout: "soon" }),
    ask("get", { id: "a" }, { id: { deep: true } }),
    ask("__proto__", {}),
    ask("events", { id: "nobody" }),
    ask("kill", { id: "a" }),
    ask("answer", { id: "q0000000g", digest: "", answer: {} }),
    ask("answer", { id: "q00000001", answer: {} }),
  ];
  for (const line of bad) socket.write(line);
  socket.write("\n\n");
  // In two pieces, and the last two requests in one.
  const good = ask("hello", {}, { id: "last" });
  socket.write(good.slice(0, 20));
  socket.write(`${good.slice(20)}${good}`);
  await until(() => expect(lines).toHaveLength(bad.length + 2));
  expect(lines.filter(({ error }) => error !== undefined)).toHaveLength(bad.length);
  expect(lines.filter(({ id }) => id === "last")).toMatchObject([
    { result: { sessionId: "the-session", pid: process.pid } },
    { result: { sessionId: "the-session" } },
  ]);
});

test("a request without an end is cut off, and others do not notice", async () => {
  const { path, lease } = await serve();
  const { socket, lines, closed } = await dial(path);
  using other = await ControlClient.open(lease);
  socket.write(Buffer.alloc(longestRequest + 1, "x"));
  await closed;
  expect(lines).toMatchObject([
    { id: null, error: { message: "The request is too long. Send a shorter one." } },
  ]);
  expect(await other.call("get", { id: "a" })).toMatchObject({ id: "a" });
});

test("what a port can do is reached with its arguments", async () => {
  const calls: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]): Promise<never> => {
      calls.push([name, ...args]);
      return Promise.resolve({ messageId: "m", agentId: "a" } as never);
    };
  const { lease } = await serve(
    {},
    {
      kill: note("kill"),
      send: note("send"),
      background: note("background"),
      resume: note("resume"),
      stop: note("stop"),
    },
  );
  using client = await ControlClient.open(lease);
  expect(await client.call("send", { id: "a", text: "hello" })).toEqual({
    messageId: "m",
    agentId: "a",
  });
  await client.call("kill", { id: "a" });
  await client.call("background", { id: "a" });
  expect(calls).toEqual([
    ["send", "a", "hello"],
    ["kill", "a", "killed from another process"],
    ["background", "a"],
  ]);
  await client.call("resume", { id: "a", prompt: "go on" });
  await client.call("stop", { id: "a", graceMs: 5 });
  expect(calls.slice(3)).toEqual([
    ["resume", "a", { prompt: "go on" }],
    ["stop", "a", { reason: "stopped from another process", graceMs: 5 }],
  ]);
  expect(await client.call("get", { id: "nobody" })).toBeNull();
});

test("a watcher is told of its agent and everything below it, also of children that come later", async () => {
  const { lease, bus } = await serve();
  using client = await ControlClient.open(lease);
  const { rows, events } = await client.watch("a");
  expect((rows as AgentRow[]).map(({ id }) => id)).toEqual(["a", "b"]);
  bus.publish(event("z", { text: "not ours" }));
  bus.publish(event("c", { type: "agent-start", agent: { parentId: "b" } }));
  bus.publish(event("c", { text: "ours" }));
  bus.publish(event("d", { type: "agent-start", agent: { parentId: "z" } }));
  bus.publish(event("a", { text: "last" }));
  bus.close();
  const told = await Array.fromAsync(events);
  expect(told.map((one) => (one.kind === "event" ? one.event.agentId : one))).toEqual([
    "c",
    "c",
    "a",
  ]);
});

test("a client that does not read loses events, then its connection; others get all of them", async () => {
  const clock = new TestClock();
  const { path, bus, lease } = await serve({ clock });
  using reader = await ControlClient.open(lease);
  const watched = await reader.watch("a");
  const { socket, lines } = await dial(path);
  socket.write(ask("events", { id: "a" }));
  await until(() => expect(lines).toHaveLength(1));
  socket.pause();
  expect(bus.readers).toBe(2);
  const count = 300;
  const text = "x".repeat(10_000);
  for (let n = 0; n < count; n += 1) bus.publish(event("a", { text }));
  const told: unknown[] = [];
  for await (const one of watched.events) if (told.push(one) === count) break;
  // The server waits for one client only.
  await until(() => clock.timers.length === 1);
  expect(bus.readers).toBe(2);
  clock.advance(30_000);
  await until(() => expect(bus.readers).toBe(1));
});

test("a client that was slow for a while is told how many events it has lost", async () => {
  const { path, bus } = await serve();
  const { socket, lines } = await dial(path);
  socket.write(ask("events", { id: "a" }));
  await until(() => expect(lines).toHaveLength(1));
  socket.pause();
  const count = 12_000;
  const text = "x".repeat(1000);
  for (let n = 0; n < count; n += 1) {
    bus.publish(event("a", { text }));
    if (n % 100 === 0) await new Promise(setImmediate);
  }
  socket.resume();
  bus.close();
  await until(() => expect(lines.at(-1)).toMatchObject({ done: true }));
  const lost = lines.findLast((line) => "dropped" in line)?.["dropped"];
  expect(lost).toBeGreaterThan(0);
  expect(lines.filter((line) => "event" in line)).toHaveLength(count - Number(lost));
});

test("requests that were under way when the server closes end with an error, and the socket is gone", async () => {
  const { lease, server, path } = await serve();
  using client = await ControlClient.open(lease);
  const waiting = client.call("output", { id: "a", block: true });
  const refused = expect(waiting).rejects.toMatchObject({ code: "not_running" });
  await server.close();
  await refused;
  expect(existsSync(path)).toBe(false);
  await expect(client.call("hello", {})).rejects.toMatchObject({ code: "not_running" });
  await expect(ControlClient.open(lease)).rejects.toMatchObject({ code: "unreachable" });
});

test("somebody who listens and says nothing, or nonsense, is reported as such", async () => {
  for (const words of ["nonsense\n", '{"id": 1, "result": {"pid": "x"}}\n', null]) {
    const path = join(temporaryDirectory(), "s.sock");
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      if (words === null) socket.destroy();
      else socket.on("data", () => socket.write(words));
    });
    server.listen(path);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const lease = { ...ownProcess(), pid: 7, token: "t", socket: path, beatAt: 0 };
    await expect(ControlClient.open(lease)).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("kill -9 7") as string,
    });
  }
});

test("a socket lies in a directory that is ours alone, and nowhere else", async () => {
  const root = temporaryDirectory();
  const at = (name: string): string =>
    dirname(
      socketPath({ sessionId: "0123-4567", token: "t" }, { XDG_RUNTIME_DIR: join(root, name) }) ??
        "",
    );
  for (const name of ["good", "open", "linked", "file"]) mkdirSync(join(root, name));
  mkdirSync(join(root, "open", "retinue"));
  chmodSync(join(root, "open", "retinue"), 0o755);
  symlinkSync(join(root, "good"), join(root, "linked", "retinue"));
  writeFileSync(join(root, "file", "retinue"), "");
  expect(at("good")).toBe(join(root, "good", "retinue"));
  for (const name of ["open", "linked", "file", "missing", "x".repeat(100)]) {
    expect(at(name)).not.toContain(root);
    expect(at(name)).toMatch(/retinue-\d+$/);
  }
  const { lease, path } = await serve();
  chmodSync(dirname(path), 0o755);
  await expect(ControlClient.open(lease)).rejects.toMatchObject({
    message: expect.stringContaining("not private to you") as string,
  });
});

test("sockets to which nobody listens any more are removed, others stay", async () => {
  const { path } = await serve();
  const directory = dirname(path);

  const dead = join(directory, "dead.sock");
  const program = `require("node:net").createServer().listen(${JSON.stringify(dead)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", program]);
  const young = join(directory, "young.sock");
  spawnSync(process.execPath, ["-e", program.replace(dead, young)]);
  writeFileSync(join(directory, "file.sock"), "");
  for (const name of ["s.sock", "dead.sock", "file.sock"]) utimesSync(join(directory, name), 1, 1);
  await removeDeadSockets(directory);
  expect([path, dead, young, join(directory, "file.sock")].map((file) => existsSync(file))).toEqual(
    [true, false, true, true],
  );
  expect(readFileSync(join(directory, "file.sock"), "utf8")).toBe("");
});

test("two owners of sessions with the same id have sockets of their own", () => {
  const env = { XDG_RUNTIME_DIR: temporaryDirectory() };
  const sessionId = "01234567-89ab-cdef-0123-456789abcdef";
  const paths = ["one", "two"].map((token) => socketPath({ sessionId, token }, env));
  expect(new Set(paths).size).toBe(2);
});

test("a socket that is listened to is not taken, and outlives whoever tried", async () => {
  const { path, lease } = await serve();
  const other = new ControlServer({} as ControlPort, { path, token: "other" });
  await expect(other.listen()).rejects.toThrow("EADDRINUSE");
  await other.close();
  using client = await ControlClient.open(lease);
  expect(await client.call("get", { id: "a" })).toMatchObject({ id: "a" });
});

test("a socket that a crash left gives way", async () => {
  const path = join(temporaryDirectory(), "left.sock");
  const program = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", program]);
  expect(existsSync(path)).toBe(true);
  const { lease } = await serve({ path });
  using client = await ControlClient.open({ ...lease, socket: path });
  expect(await client.call("get", { id: "a" })).toMatchObject({ id: "a" });
});

test("where the temporary directory has too long a path, sockets are made and looked for in /tmp", () => {
  const before = process.env["TMPDIR"] ?? "";
  process.env["TMPDIR"] = join(temporaryDirectory(), "x".repeat(100));
  onTestFinished(() => void (process.env["TMPDIR"] = before));
  mkdirSync(process.env["TMPDIR"]);
  expect(socketDirectories({})).toEqual([`/tmp/retinue-${process.getuid?.()}`]);
  expect(socketPath({ sessionId: "s", token: "t" }, {})).toContain(socketDirectories({})[0]);
});

test("a message to an agent that has ended is refused as that, not as if nobody were there", async () => {
  const { lease } = await serve(
    {},
    { send: () => Promise.reject(new RetinueError("agent_ended", "It has ended.")) },
  );
  using client = await ControlClient.open(lease);
  await expect(client.call("send", { id: "a", text: "hello" })).rejects.toMatchObject({
    code: "agent_ended",
  });
});
