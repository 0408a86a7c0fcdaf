import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../contract/errors.ts";
import { openRedactor, type Redactor } from "../../redact/redactor.ts";
import { StreamRedactor } from "../../redact/stream-redactor.ts";
import { openInPrivateDirectory } from "../../platform/files/make-directory.ts";
import type { StartedProcess } from "../../processes/process-tree.ts";
import { readOutput } from "./read-output.ts";
import type { ToolContext } from "../tool.ts";
import { wholeWords } from "./whole-words.ts";

const inlineCap = 30_000;
const spillCap = 64 * 1024 * 1024;

/** The output of a command, in bounded memory: excerpts to show, and all of it in a file once it is too long. */
export class CommandOutput {
  readonly all: Excerpt;
  readonly #stdout: Excerpt;
  readonly #stderr: Excerpt;
  readonly #spill: Spill;
  readonly #context: ToolContext;
  #progressTimer: NodeJS.Timeout | undefined;
  #shown = "";

  constructor(context: ToolContext) {
    const { resultsDir, redactor } = context.workbench;
    const betweenWords = redactor !== openRedactor;
    this.all = new Excerpt(betweenWords);
    this.#stdout = new Excerpt(betweenWords);
    this.#stderr = new Excerpt(betweenWords);
    this.#spill = new Spill(join(resultsDir, spillName(context)), redactor);
    this.#context = context;
  }

  /** Collects the output of a process; returns a function that ends it. */
  attach(child: StartedProcess): () => void {
    const detach = readOutput(child, (text, from) => {
      this.#add(from === "stdout" ? this.#stdout : this.#stderr, text);
    });
    return () => {
      detach();
      this.#spill.finish();
    };
  }

  omission = (count: number): string =>
    `\n[… ${count} characters left out; ${this.#spill.whereabouts()}]\n`;

  data(interrupted: boolean): object {
    return {
      stdout: this.#stdout.render(this.omission),
      stderr: this.#stderr.render(this.omission),
      interrupted,
      isImage: false,
      ...(this.#spill.written > 0 && { rawOutputPath: this.#spill.path }),
    };
  }

  close(): void {
    clearTimeout(this.#progressTimer);
    this.#spill.close();
  }

  #add(excerpt: Excerpt, text: string): void {
    if (text === "") return;
    if (this.all.length + text.length > inlineCap) {
      if (this.all.length <= inlineCap) this.#spill.write(this.all.render(this.omission));
      this.#spill.write(text);
    }
    this.all.add(text);
    excerpt.add(text);
    if (this.#progressTimer === undefined) this.#showProgress();
  }

  #showProgress(): void {
    const line = this.all.lastLine();
    this.#progressTimer = undefined;
    if (line === this.#shown) return;
    this.#shown = line;
    this.#context.progress(line);
    this.#progressTimer = setTimeout(() => this.#showProgress(), 200);
  }
}

/** The beginning and the end of a text of any length. */
class Excerpt {
  length = 0;
  /** Whether to cut only between words. */
  readonly #betweenWords: boolean;
  #head = "";
  #tail = "";

  constructor(betweenWords: boolean) {
    this.#betweenWords = betweenWords;
  }

  add(text: string): void {
    const room = inlineCap / 2 - this.#head.length;
    this.length += text.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    if (this.#tail.length > inlineCap * 2) this.#tail = this.#tail.slice(-inlineCap / 2);
  }

  render(omission: (count: number) => string): string {
    if (this.length <= inlineCap) return this.#head + this.#tail;
    const cut = this.#betweenWords ? wholeWords : (text: string): string => text;
    const head = cut(this.#head, "end");
    const tail = cut(this.#tail.slice(-inlineCap / 2), "start");
    const text = head + omission(this.length - head.length - tail.length) + tail;
    // Half a surrogate pair at a cut would make the model's provider refuse the whole request.
    return text.toWellFormed();
  }

  lastLine(): string {
    const end = (this.#head + this.#tail.slice(-1000)).slice(-1000);
    const whole = this.#betweenWords && end.length === 1000 ? wholeWords(end, "start") : end;
    const shown = whole.trimEnd();
    return shown.slice(Math.max(shown.lastIndexOf("\n"), shown.lastIndexOf("\r")) + 1);
  }
}

/** The name of a spill file. The id of a call is unique in its agent only. */
function spillName({ agentId, callId }: ToolContext): string {
  return `${agentId}.call.${callId.replaceAll(/[^\w-]/g, "_")}.txt`;
}

/** The file that takes a long output. It is written synchronously: that is the back-pressure on the command. */
class Spill {
  readonly path: string;
  written = 0;
  readonly #redacted: StreamRedactor;
  #file: number | undefined;
  #end: "whole" | "cut" | Error = "whole";

  constructor(path: string, redactor: Redactor) {
    this.path = path;
    this.#redacted = new StreamRedactor(redactor);
  }

  write(text: string): void {
    this.#append(this.#redacted.push(text));
  }

  /** Writes the end of the output, held back because it might have begun a secret. */
  finish(): void {
    this.#append(this.#redacted.flush());
  }

  #append(text: string): void {
    if (text === "" || this.#end !== "whole") return;
    try {
      this.#file ??= openInPrivateDirectory(this.path, "w");
      const bytes = Buffer.from(text);
      const room = spillCap - this.written;
      if (bytes.length > room) this.#end = "cut";
      this.written += writeSync(this.#file, bytes.subarray(0, room));
    } catch (error) {
      this.#end = error instanceof Error ? error : new Error(errorMessage(error));
    }
  }

  whereabouts(): string {
    if (this.#end === "whole") return `the whole output is in ${this.path}`;
    if (this.#end === "cut") return `the first 64 MiB are in ${this.path}`;
    return `they could not be saved: ${this.#end.message}`;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
