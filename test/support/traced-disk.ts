// The files of a program that ran under strace, as the disk has them: what was synced is there, of the rest a power cut
// takes what hurts most.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

export const straceOptions: readonly string[] = [
  ...["-f", "-qq", "--seccomp-bpf", "-y", "-xx", "-s", "10000000", "-e"],
  "trace=openat,mkdir,write,pwrite64,ftruncate,rename,unlink,fdatasync,fsync",
];

/**
 * The kind of a power cut. `late`: the disk has only names and bytes that were synced; `early`: all names, and halves
 * of what was not.
 */
export type Cut = "late" | "early";

interface File {
  bytes: Buffer;
  /** As of the last sync. */
  synced: Buffer;
}

export class TracedDisk {
  /** A directory has no file. */
  readonly #names = new Map<string, File | null>();
  readonly #syncedNames = new Map<string, File | null>();

  /** Follows a trace below `root`. `onWrite` is called with the bytes of each write, before the next call counts. */
  follow(trace: string, root: string, onWrite: (path: string, bytes: Buffer) => void): void {
    const begun = new Map<string, { line: string; finish: () => void }>();
    for (const line of trace.split("\n")) {
      const [, pid = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
      const [, first] = /^(.*) <unfinished \.\.\.>$/.exec(rest) ?? [];
      if (first !== undefined) {
        begun.set(pid, { line: first, finish: this.#begin(first) });
        continue;
      }
      const [, last] = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest) ?? [];
      const earlier = last === undefined ? undefined : begun.get(pid);
      const whole = earlier === undefined ? rest : `${earlier.line}${last}`;
      const finish = earlier?.finish ?? this.#begin(whole);
      const call = callIn(whole);
      if (call === undefined || call.failed || !isBelow(root, call.paths[0])) continue;
      finish();
      this.#apply(call);
      if (call.name.includes("write")) onWrite(call.paths[0] ?? "", call.bytes);
    }
  }

  /** Writes into a directory what a power cut leaves of all that lies below `root`. */
  cutTo(directory: string, root: string, cut: Cut): void {
    const names = cut === "early" ? this.#names : this.#syncedNames;
    for (const [path, file] of names) {
      if (file === null || !isBelow(root, path)) continue;
      let parent = dirname(path);
      while (isBelow(root, parent) && names.has(parent)) parent = dirname(parent);
      if (isBelow(root, parent)) continue;
      const copy = join(directory, relative(root, path));
      mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
      writeFileSync(copy, cut === "early" ? torn(file) : file.synced, { mode: 0o600 });
    }
  }

  /** A sync is about what was there when it began. */
  #begin(line: string): () => void {
    const { name, paths } = callIn(line) ?? { name: "", paths: [] };
    const [path = ""] = paths;
    if (!name.endsWith("sync")) return () => undefined;
    const file = this.#names.get(path);
    const bytes = file?.bytes;
    const names = [...this.#names].filter(([one]) => dirname(one) === path);
    return () => {
      if (file && bytes !== undefined) file.synced = bytes;
      if (file) return;
      for (const one of this.#syncedNames.keys())
        if (dirname(one) === path) this.#syncedNames.delete(one);
      for (const [one, what] of names) this.#syncedNames.set(one, what);
    };
  }

  #apply({ name, paths: [path = "", to = ""], bytes, number, flags }: Call): void {
    const file = this.#names.get(path);
    if (name === "mkdir") this.#names.set(path, null);
    if (name === "openat" && flags.includes("O_CREAT") && file === undefined)
      this.#names.set(path, { bytes: Buffer.alloc(0), synced: Buffer.alloc(0) });
    if (name === "openat" && flags.includes("O_TRUNC") && file) file.bytes = Buffer.alloc(0);
    if (name === "write" && file) file.bytes = Buffer.concat([file.bytes, bytes]);
    if (name === "pwrite64" && file) {
      const rest = file.bytes.subarray(number + bytes.length);
      file.bytes = Buffer.concat([file.bytes.subarray(0, number), bytes, rest]);
    }
    if (name === "ftruncate" && file) file.bytes = file.bytes.subarray(0, number);
    if (name === "unlink" || name === "rename") this.#names.delete(path);
    if (name === "rename" && file !== undefined) this.#names.set(to, file);
  }
}

interface Call {
  name: string;
  paths: string[];
  bytes: Buffer;
  /** The last number: an offset or a length. */
  number: number;
  flags: string;
  failed: boolean;
}

const named = new Set(["openat", "mkdir", "rename", "unlink"]);

function callIn(line: string): Call | undefined {
  const [, name, words = "", result] = /^(\w+)\((.*?)(?:\) += (-?\d+).*)?$/.exec(line) ?? [];
  if (name === undefined) return undefined;
  const texts = [...words.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = ""]) => unhex(text));
  const [, place = ""] = /^\d+<((?:\\x[0-9a-f]{2})*)>/.exec(words) ?? [];
  return {
    name,
    paths: named.has(name) ? texts.map(String) : [unhex(place).toString()],
    bytes: texts[0] ?? Buffer.alloc(0),
    number: Number(/(\d+)$/.exec(words)?.[1] ?? 0),
    flags: words,
    failed: result?.startsWith("-") ?? true,
  };
}

function unhex(text: string): Buffer {
  return Buffer.from(text.replaceAll(String.raw`\x`, ""), "hex");
}

function isBelow(root: string, path = ""): boolean {
  return path.startsWith(`${root}/`);
}

/** Of bytes that were not synced the first half arrives; where others were before, zeros take their place. */
function torn({ bytes, synced }: File): Buffer {
  if (bytes.equals(synced)) return bytes;
  const same = bytes.findIndex((byte, index) => byte !== synced[index]);
  const from = same === -1 ? bytes.length : same;
  const kept = bytes.subarray(0, from + Math.floor((bytes.length - from) / 2));
  return Buffer.concat([kept, Buffer.alloc(Math.max(0, synced.length - kept.length))]);
}
