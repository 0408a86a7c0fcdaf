// A process that runs commands for the fuzzer, several at a time, from lines `{"id", "command"}` on stdin to lines
// `{"id", …observation}` on stdout. It is its own process so that it can live in namespaces of its own.
import { createInterface } from "node:readline";
import { oneLine } from "./one-line.ts";
import { openSlot, type SlotPlace } from "./slot.ts";

const places = JSON.parse(process.argv[2] ?? "[]") as SlotPlace[];
const waiting: { id: number; command: string }[] = [];
const idle = places.map(openSlot);

createInterface({ input: process.stdin }).on("line", (line) => {
  waiting.push(JSON.parse(line) as { id: number; command: string });
  startNext();
});

function startNext(): void {
  if (waiting.length === 0) return;
  const slot = idle.pop();
  if (slot === undefined) return;
  const next = waiting.shift();
  if (next === undefined) return;
  void slot.run(next.command).then((observation) => {
    process.stdout.write(oneLine({ id: next.id, ...observation }));
    idle.push(slot);
    startNext();
  });
}
