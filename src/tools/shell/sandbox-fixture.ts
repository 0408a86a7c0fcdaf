import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";

/** Every process there is. */
export function living(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** With a NUL behind each word. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

/** A server that always says the same. */
export async function listening(): Promise<Server> {
  const one = createServer((_, response) => response.end("served"));
  one.listen(0, "127.0.0.1");
  await once(one, "listening");
  return one;
}
