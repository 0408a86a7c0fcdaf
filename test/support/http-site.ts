import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Site {
  url: string;
  server: Server;
  /** What each connection has been sent, in the order in which they were opened. */
  heard: string[];
  opened: Socket[];
}

/** A server on plain sockets: says what it is told to, whatever it hears, once for each request. Gone after the test. */
export async function site(reply: (socket: Socket, request: number) => void): Promise<Site> {
  const heard: string[] = [];
  const opened: Socket[] = [];
  let requests = 0;
  const server = createServer((socket) => {
    const own = opened.push(socket.setNoDelay()) - 1;
    heard.push("");
    let open = "";
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      heard[own] += text;
      open += text;
      for (let end = endOfRequest(open); end !== -1; end = endOfRequest(open)) {
        open = open.slice(end);
        reply(socket, (requests += 1));
      }
    });
  });
  const port = await listening(server);
  return { url: `http://127.0.0.1:${port}/v1/messages?beta=true`, server, heard, opened };
}

/** Listens on a port of its own, until the test is finished. */
export async function listening(server: Server, host = "127.0.0.1"): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

function endOfRequest(text: string): number {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return -1;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? "0";
  const whole = end + 4 + Number(length);
  return text.length < whole ? -1 : whole;
}
