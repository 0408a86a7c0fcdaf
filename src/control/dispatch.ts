import { version } from "../contract/version.ts";
import { takeAnswer } from "./take-answer.ts";
import type { ControlPort } from "./control-port.ts";
import type { ControlRequest } from "./protocol.ts";

/** Runs one request and returns its result. Throws the port's errors. */
export async function dispatch(
  request: Exclude<ControlRequest, { method: "events" | "signed" }>,
  port: ControlPort,
): Promise<unknown> {
  switch (request.method) {
    case "hello":
      return { sessionId: port.sessionId, pid: process.pid, version };
    case "list":
      return port.list(request.params);
    case "get":
      return port.get(request.params.id) ?? null;
    case "output": {
      const { id, ...options } = request.params;
      return port.output(id, options);
    }
    case "stop": {
      const { id, ...options } = request.params;
      return port.stop(id, { reason: "stopped from another process", ...options });
    }
    case "kill":
      return port.kill(request.params.id, "killed from another process");
    case "send":
      return port.send(request.params.id, request.params.text);
    case "background":
      return port.background(request.params.id);
    case "resume": {
      const { id, ...options } = request.params;
      return port.resume(id, options);
    }
    case "answer":
      return takeAnswer(request, port.inbox);
  }
}
