import { dirname } from "node:path";
import { errorMessage, RetinueError } from "../contract/errors.ts";
import type { ControlPort } from "./control-port.ts";
import { removeDeadSockets } from "./dead-socket.ts";
import { socketPath } from "../platform/private-socket.ts";
import { ControlServer } from "./server.ts";

/** Serves a port on a socket that only its user can reach. Throws `unreachable` if there is no place for one. */
export async function openSocket(
  port: ControlPort,
  token: string,
): Promise<{ path: string; server: ControlServer }> {
  const path = socketPath({ sessionId: port.sessionId, token });
  if (path === null) {
    throw new RetinueError(
      "unreachable",
      "No directory for the session's socket is private to you. Set XDG_RUNTIME_DIR to one that is, with a path of at most 70 bytes.",
    );
  }
  const server = new ControlServer(port, { path, token });
  try {
    await server.listen();
  } catch (error) {
    throw new RetinueError(
      "unreachable",
      `The session's socket ${path} cannot be opened: ${errorMessage(error)}. Set XDG_RUNTIME_DIR to a directory of your own.`,
      { cause: error },
    );
  }
  void removeDeadSockets(dirname(path));
  return { path, server };
}
