import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { errorMessage } from "../../contract/errors.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

/** Test support: a place that may be touched, one that may not, and a process that swaps ways between them. */
export interface Swapped {
  /** A directory; while it is swapped, sometimes a link to `outside` and sometimes nothing. */
  inside: string;
  outside: string;
}

/** Makes `inside` and `outside`, each with these files; every file names its directory. */
export async function makeSwappable(files: readonly string[]): Promise<Swapped> {
  const root = temporaryDirectory();
  const places = { inside: join(root, "inside"), outside: join(root, "outside") };
  for (const [name, directory] of Object.entries(places)) {
    await mkdir(directory);
    for (const file of files) await writeFile(join(directory, file), `${name}\n`);
  }
  await symlink(places.outside, `${places.inside}-link`);
  return places;
}

/** Swaps `inside` and a link to `outside` in a tight loop. Call the result to end it, with the directory in its place. */
export function keepSwapping({ inside }: Swapped): Promise<() => Promise<void>> {
  return keepDoing(
    `
      put(place, place + "-aside");
      put(place + "-link", place);
      wait();
      put(place, place + "-link");
      put(place + "-aside", place);
      wait();
    `,
    inside,
  );
}

/** Replaces a file by a new version of the same text in a tight loop. Call the result to end it. */
export function keepReplacing(file: string, text: string): Promise<() => Promise<void>> {
  return keepDoing(
    `
      writeFileSync(place + "-next", ${JSON.stringify(text)});
      renameSync(place + "-next", place);
    `,
    file,
  );
}

/** Repeats a round in a process of its own, until it is ended or the test is over. */
async function keepDoing(round: string, place: string): Promise<() => Promise<void>> {
  // Pauses of random length, so that each state meets the calls at every point.
  const program = `
    const { renameSync, writeFileSync } = require("node:fs");
    const place = process.argv[1];
    let isOver = false;
    process.stdin.resume().on("end", () => { isOver = true; });
    let made = 0;
    const put = (from, to) => {
      try {
        renameSync(from, to);
      } catch {
        // Somebody made the directory anew in the moment in which it was missing.
        renameSync(to, to + "-made-" + made++);
        put(from, to);
      }
    };
    const wait = () => { for (let left = Math.random() * 20_000; left > 0; left -= 1); };
    const rounds = () => {
      for (let left = 100; left > 0; left -= 1) { ${round} }
      if (isOver) process.exit(0);
      setImmediate(rounds);
    };
    rounds();
    process.stdout.write("ready");
  `;
  const child = spawn(process.execPath, ["-e", program, place], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const end = async (): Promise<void> => {
    child.stdin.end();
    await closed;
  };
  onTestFinished(end);
  await once(child.stdout, "data");
  return end;
}

/** Counts of reads from inside, reads from outside, refusals because the path had changed, and other failures. */
interface ReadCounts {
  inside: number;
  outside: number;
  changed: number;
  failed: number;
}

/** Counts the origins of texts: `look` returns a text that names its own. */
export async function tally(
  times: number,
  look: () => string | Promise<string>,
): Promise<ReadCounts> {
  const counts: ReadCounts = { inside: 0, outside: 0, changed: 0, failed: 0 };
  for (let left = times; left > 0; left -= 1) {
    try {
      const text = await look();
      counts[text.includes("outside") ? "outside" : "inside"] += 1;
    } catch (error) {
      counts[errorMessage(error).includes("changed while it was") ? "changed" : "failed"] += 1;
    }
  }
  return counts;
}
