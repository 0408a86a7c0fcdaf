import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Acknowledged } from "./acknowledged.ts";

/** The content of one transcript, read without Retinue's own reader. */
export interface Book {
  /** Lines per answer. */
  readonly answers: Map<string, number>;
  readonly calls: Map<string, { name: string; command: string }>;
  /** By call: its results, one if all is well. */
  readonly results: Map<string, string[]>;
  /** Calls whose result is an error. */
  readonly errors: Set<string>;
  /** How often each piece of mail was told. */
  readonly mail: Map<string, number>;
  /** Calls whose command in the background was told to be interrupted. */
  readonly lostShells: Set<string>;
  readonly ends: string[];
  /** Numbers of lines that are no JSON, without the last one if it has no end. */
  readonly broken: number[];
}

/** All transcripts of a session, by the id of their agents. */
export function readBooks(sessionDir: string): Map<string, Book> {
  const books = new Map<string, Book>();
  const main = `${sessionDir}.jsonl`;
  const { id } = readMain(sessionDir);
  books.set(id, readBook(main));
  for (const file of globSync("subagents/agent-*.jsonl", { cwd: sessionDir })) {
    const id = basename(file, ".jsonl").slice("agent-".length);
    books.set(id, readBook(join(sessionDir, file)));
  }
  return books;
}

/** The file that lists the main agent. */
export function readMain(sessionDir: string): { id: string; state: string } {
  try {
    const meta = JSON.parse(readFileSync(join(sessionDir, "main.meta.json"), "utf8")) as {
      retinue: { id: string; state: string };
    };
    return meta.retinue;
  } catch {
    return { id: "", state: "none" };
  }
}

interface Line {
  type?: string;
  retinueMail?: string;
  result?: { state: string };
  message?: { id?: string; content?: string | Block[] };
}

interface Block {
  type: string;
  id?: string;
  name?: string;
  input?: { command?: string };
  tool_use_id?: string;
  content?: unknown;
  is_error?: boolean;
}

function readBook(path: string): Book {
  const book: Book = {
    answers: new Map(),
    calls: new Map(),
    results: new Map(),
    errors: new Set(),
    mail: new Map(),
    lostShells: new Set(),
    ends: [],
    broken: [],
  };
  const lines = textOf(path).split("\n");
  for (const [index, text] of lines.slice(0, -1).entries()) {
    try {
      enter(book, JSON.parse(text) as Line);
    } catch {
      book.broken.push(index + 1);
    }
  }
  return book;
}

function enter(book: Book, { type, retinueMail, result, message }: Line): void {
  if (type === "retinue-end") book.ends.push(result?.state ?? "");
  if (retinueMail !== undefined) add(book.mail, retinueMail);
  const [, shell] = lostShell.exec(retinueMail === undefined ? "" : textIn(message?.content)) ?? [];
  if (shell !== undefined) book.lostShells.add(shell);
  if (type === "assistant" && message?.id !== undefined) add(book.answers, message.id);
  if (!Array.isArray(message?.content)) return;
  for (const block of message.content) {
    const { type, id = "", name = "", input, tool_use_id = "", content } = block;
    if (type === "tool_use") book.calls.set(id, { name, command: input?.command ?? "" });
    if (type !== "tool_result") continue;
    const told = typeof content === "string" ? content : JSON.stringify(content);
    if (block.is_error === true) book.errors.add(tool_use_id);
    book.results.set(tool_use_id, [...(book.results.get(tool_use_id) ?? []), told]);
  }
}

function textIn(content: string | Block[] | undefined): string {
  return typeof content === "string" ? content : "";
}

const lostShell = /<tool-use-id>(.*?)<\/tool-use-id>[^]*<status>interrupted<\/status>/;

/** What was acknowledged and is not in the transcripts. */
export function lostOf(
  told: readonly Acknowledged[],
  books: ReadonlyMap<string, Book>,
): Acknowledged[] {
  return told.filter((one) => {
    switch (one.kind) {
      case "answer":
        return (books.get(one.agentId)?.answers.get(one.id) ?? 0) < Math.max(one.blocks, 1);
      case "result":
        return books.get(one.agentId)?.results.has(one.callId) !== true;
      case "mail":
        return books.get(one.agentId)?.mail.has(one.mailId) !== true;
      case "end":
        return books.get(one.agentId)?.ends.includes(one.state) !== true;
      default:
        return false;
    }
  });
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
