import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { hostname } from "node:os";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { isPrivateAddress, isPrivateHost } from "../src/platform/private-address.ts";
import { script, setDesk } from "./support/answering.ts";
import { setStage } from "./support/stage.ts";

/** A page on this machine, and how often anything has connected to it. */
async function page(): Promise<{ port: number; visits: () => number }> {
  let visits = 0;
  const server: Server = createServer((socket) => {
    visits += 1;
    socket.on("error", () => undefined).resume();
    socket.end("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nhere");
  }).listen(0);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, visits: () => visits };
}

const fetchOf = (url: string): string =>
  script({ read: [{ call: "WebFetch", input: { url, prompt: "x" } }, "{{ results.1 }}"] });

/** What an agent reads that fetches a page, under rules. */
async function fetched(url: string, allowedTools: string[]): Promise<string> {
  const { manager } = setStage(fetchOf(url), { allowedTools });
  const agent = await manager.main({ prompt: "read" });
  return (await manager.output(agent.id, { block: true })).content;
}

test("a rule for all of WebFetch reaches nothing on this machine, by no spelling; one that names the host does", async () => {
  const { port, visits } = await page();
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"]) {
    const said = await fetched(`http://${host}:${port}/`, ["WebFetch", "WebFetch(domain:*)"]);
    expect(said).toContain("is not a public address: only a rule that names it allows it.");
    expect(said).not.toContain("all of it with");
  }
  expect(visits()).toBe(0);
  expect(await fetched(`http://2130706433:${port}/`, ["WebFetch(domain:127.0.0.1)"])).toContain(
    "here",
  );
  expect(await fetched(`http://localhost:${port}/`, ["WebFetch(domain:localhost)"])).toContain(
    "here",
  );
  expect(visits()).toBe(2);
});

test("a person who allows one call to this machine is believed", async () => {
  const { port, visits } = await page();
  const agents = { worker: { description: "d", prompt: "p", tools: ["WebFetch"] } };
  const desk = setDesk(
    {
      read: [
        { call: "WebFetch", input: { url: `http://127.0.0.1:${port}/`, prompt: "x" } },
        "{{ results.1 }}",
      ],
    },
    { allowedTools: ["WebFetch"], agents },
  );
  const id = await desk.work("read");
  const [request] = await desk.open(1);
  expect(request).toMatchObject({ suggestions: ["WebFetch(domain:127.0.0.1)"] });
  await desk.manager.inbox.answer(request?.id ?? "", { verdict: "allow", scope: "once" });
  expect(await desk.reported(id)).toContain("here");
  expect(visits()).toBe(1);
});

/** This machine's own name, where it is a plain name that leads to a private address. */
const ownName = await lookup(hostname()).then(
  ({ address }) => (isPrivateAddress(address) && !isPrivateHost(hostname()) ? hostname() : null),
  () => null,
);

test.skipIf(ownName === null)(
  "a plain name that leads to a private address is refused under a rule for all, and tried under one that names it",
  async () => {
    const { port, visits } = await page();
    const url = `https://${ownName}:${port}/`;
    const said = await fetched(url, ["WebFetch"]);
    expect(said).toMatch(/leads to \S+, which is not public/);
    expect(said).toContain(`WebFetch(domain:${ownName})`);
    expect(visits()).toBe(0);
    await fetched(url, [`WebFetch(domain:${ownName})`]);
    expect(visits()).toBe(1);
  },
);
