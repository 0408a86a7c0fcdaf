import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Acknowledged } from "./acknowledged.ts";
import { readBooks, type Book } from "./books.ts";
import type { Work } from "./work.ts";

/** Violations that must not have happened, each with where it was found. */
export interface Account {
  readonly finished: string[];
  /** Agents that were started more than once. */
  readonly doubles: string[];
  readonly repeated: string[];
  /** Neither an effect nor a result that says `Interrupted`. */
  readonly missing: string[];
  /** An effect that no transcript knows a call of. */
  readonly unknown: string[];
  /** Calls without exactly one result. */
  readonly unanswered: string[];
  /** Calls for an agent that ended in an error. */
  readonly refused: string[];
  /** Mail that was told twice. */
  readonly toldTwice: string[];
  /** Messages with a receipt, and ends of children in the background, that nobody was told of. */
  readonly untold: string[];
  readonly interrupted: number;
}

interface Meta {
  description: string;
  retinue: { id: string; parentId: string | null; background: boolean; state: string };
}

/** The account of a session in which every agent has ended. */
export function accountOf(
  { cwd, sessionDir }: { cwd: string; sessionDir: string },
  work: Work,
  told: readonly Acknowledged[],
): Account {
  const books = readBooks(sessionDir);
  const metas = globSync("subagents/*.meta.json", { cwd: sessionDir }).map(
    (file) => JSON.parse(readFileSync(join(sessionDir, file), "utf8")) as Meta,
  );
  const effects = new Map<string, number>();
  for (const name of work.lines.keys())
    for (const line of linesOf(join(cwd, "effects", name)))
      effects.set(line, (effects.get(line) ?? 0) + 1);
  const calls = callsByEffect([...books.values()]);
  const wanted = [...work.lines].flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => `${name}:${index + 1}`),
  );
  const isInterrupted = (effect: string): boolean =>
    calls.get(effect)?.some((results) => results.some((text) => /^Interrupted\b/.test(text))) ===
    true;
  return {
    finished: [...work.lines.keys()].filter((name) => {
      const own = metas.filter(({ description }) => description === name);
      return own.some(
        ({ retinue }) =>
          retinue.state === "completed" && books.get(retinue.id)?.ends.join(" ") === "completed",
      );
    }),
    doubles: [...work.lines.keys()].filter(
      (name) => metas.filter(({ description }) => description === name).length > 1,
    ),
    repeated: [...effects].flatMap(([effect, count]) => (count > 1 ? [effect] : [])),
    missing: wanted.filter((effect) => !effects.has(effect) && !isInterrupted(effect)),
    unknown: [...effects.keys()].filter((effect) => !calls.has(effect)),
    unanswered: [...books.values()].flatMap(({ calls, results }) =>
      [...calls.keys()].filter((id) => results.get(id)?.length !== 1),
    ),
    refused: [...books.values()].flatMap(({ calls, errors }) =>
      [...calls].flatMap(([id, { name }]) => (name === "Agent" && errors.has(id) ? [id] : [])),
    ),
    toldTwice: [...books.values()].flatMap(({ mail }) =>
      [...mail].flatMap(([id, count]) => (count > 1 ? [id] : [])),
    ),
    untold: [...untoldMessages(told, books), ...untoldEnds(metas, books)],
    interrupted: wanted.filter(isInterrupted).length,
  };
}

/** By effect: what was told of each call that was to have it. */
function callsByEffect(books: readonly Book[]): Map<string, string[][]> {
  const found = new Map<string, string[][]>();
  for (const { calls, results, lostShells } of books)
    for (const [id, { command }] of calls) {
      const effect = /echo (w\d+:\d+) >>/.exec(command)?.[1];
      if (effect === undefined) continue;
      const told = [...(results.get(id) ?? []), ...(lostShells.has(id) ? ["Interrupted"] : [])];
      found.set(effect, [...(found.get(effect) ?? []), told]);
    }
  return found;
}

function untoldMessages(told: readonly Acknowledged[], books: ReadonlyMap<string, Book>): string[] {
  return told.flatMap((one) =>
    one.kind === "sent" && books.get(one.agentId)?.mail.has(one.messageId) !== true
      ? [one.messageId]
      : [],
  );
}

function untoldEnds(metas: readonly Meta[], books: ReadonlyMap<string, Book>): string[] {
  return metas.flatMap(({ retinue: { id: agentId, parentId, background } }) =>
    background && books.get(parentId ?? "")?.mail.get(`${agentId}/1`) !== 1 ? [agentId] : [],
  );
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
}
