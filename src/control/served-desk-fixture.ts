import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { FoundRequest } from "../inbox/find-requests.ts";
import type { Desk } from "../inbox/inbox-fixture.ts";
import { RequestFiles } from "../inbox/request-files.ts";
import { takeLease, type HeldLease } from "../transcript/lease/take-lease.ts";
import type { ControlPort } from "./control-port.ts";
import { ControlServer } from "./server.ts";
import { until } from "../../test/support/until.ts";

export interface ServedDesk {
  lease: HeldLease;
  server: ControlServer;
  socket: string;
  /** The open request, as another process finds it. */
  found: () => Promise<FoundRequest>;
}

/** Lets other processes answer the requests at a desk, as a session does. `inbox`: replaces some of its methods. */
export async function serveDesk(
  desk: Desk,
  inbox: Partial<ControlPort["inbox"]> = {},
): Promise<ServedDesk> {
  const own: ControlPort["inbox"] = {
    list: () => desk.inbox.list(),
    answer: (...given) => desk.inbox.answer(...given),
    subscribe: (listener) => desk.inbox.subscribe(listener),
    ...inbox,
  };
  const port = {
    sessionId: "s",
    inbox: own,
    noteRefusal: (...refused: Parameters<ControlPort["noteRefusal"]>) =>
      desk.inbox.noteRefusal(...refused),
  } as ControlPort;
  const lease = takeLease({ lease: join(dirname(desk.directory), "lease.json") });
  const socket = join(desk.root, "s.sock");
  const server = new ControlServer(port, { path: socket, token: lease.token });
  await server.listen();
  lease.announce(socket);
  onTestFinished(async () => {
    await server.close();
    lease.release();
  });
  return { lease, server, socket, found: () => foundAt(desk) };
}

function foundAt({ directory }: Desk): Promise<FoundRequest> {
  const files = new RequestFiles(directory);
  return until(() => {
    const [found] = files.all();
    if (found === undefined) throw new Error("Nothing waits.");
    return { ...found, files };
  });
}
