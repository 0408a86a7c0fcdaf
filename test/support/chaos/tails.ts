import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  globSync,
  openSync,
  readSync,
} from "node:fs";
import type { Random } from "../shell-fuzz/random.ts";

/** The ends of a session's transcripts: which of them are torn, by a kill or on purpose. */
export class Tails {
  readonly #known = new Set<string>();
  /** How many a kill has torn. */
  byKill = 0;
  /** How many were torn here. */
  onPurpose = 0;

  /** To be called after each kill. */
  look(sessionDir: string): void {
    const torn = tornTails(sessionDir);
    this.byKill += torn.filter((file) => !this.#known.has(file)).length;
    this.#known.clear();
    for (const file of torn) this.#known.add(file);
  }

  /**
   * What a power cut leaves and a kill seldom does: half a line, after the last one of an agent that has not ended. One that
   * was killed before its meta file was there was told to nobody, and its parent asks for another: nobody appends to it again.
   */
  tear(sessionDir: string, random: Random): void {
    const whole = transcripts(sessionDir).filter((file) => {
      const end = endOf(file);
      const isKnown = file === `${sessionDir}.jsonl` || existsSync(metaOf(file));
      return isKnown && end.endsWith("\n") && !end.includes('"type":"retinue-end"');
    });
    if (whole.length === 0) return;
    const file = random.pick(whole);
    appendFileSync(file, '{"type":"assistant","message":{"id":"half a li');
    this.#known.add(file);
    this.onPurpose += 1;
  }
}

export function tornTails(sessionDir: string): string[] {
  return transcripts(sessionDir).filter((file) => !/^$|\n$/.test(endOf(file)));
}

function transcripts(sessionDir: string): string[] {
  return globSync([`${sessionDir}.jsonl`, `${sessionDir}/subagents/agent-*.jsonl`]);
}

function metaOf(transcript: string): string {
  return transcript.replace(/\.jsonl$/, ".meta.json");
}

/** Enough of it to hold the line that an agent's end is. */
function endOf(path: string): string {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, 1500));
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8");
  } finally {
    closeSync(file);
  }
}
