// A process that runs commands for the fuzzer, one after the other, from lines `{"id", "command"}` on stdin to lines
// `{"id", …observation}` on stdout. It is its own process so that it can live in namespaces of its own.
import { createInterface } from "node:readline";
import { oneLine } from "./one-line.ts";
import { openSlot, type SlotPlace } from "./slot.ts";

const slot = openSlot(JSON.parse(process.argv[2] ?? "{}") as SlotPlace);
let last = Promise.resolve();

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, command } = JSON.parse(line) as { id: number; command: string };
  last = last.then(async () => {
    process.stdout.write(oneLine({ id, ...(await slot.run(command)) }));
  });
});
