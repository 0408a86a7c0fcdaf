import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import type { StartedProcess } from "../../processes/process-tree.ts";

/**
 * Reads the output of a process as text. Returns a function that stops it: the pipes are still drained, because a
 * closed one would kill a background child.
 */
export function readOutput(
  child: StartedProcess,
  hear: (text: string, from: "stdout" | "stderr") => void,
): () => void {
  const streams = (["stdout", "stderr"] as const).map((from) => ({
    from,
    // Without free file descriptors nothing is started, and there is no pipe either.
    stream: child[from] as Socket | undefined,
    decoder: new StringDecoder("utf8"),
  }));
  for (const { from, stream, decoder } of streams) {
    stream?.on("data", (chunk: Buffer) => hear(decoder.write(chunk), from));
  }
  return () => {
    for (const { from, stream, decoder } of streams) {
      hear(decoder.end(), from);
      stream?.removeAllListeners("data").resume().unref();
    }
  };
}
