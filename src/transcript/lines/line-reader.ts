/** Emits whole lines. After one that is longer than `longest` bytes it emits nothing more. */
export class LineReader {
  readonly #longest: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  #pieces: Buffer[] = [];
  #length = 0;
  #broken = false;

  constructor(options: { longest: number; onLine: (line: string) => void; onTooLong: () => void }) {
    this.#longest = options.longest;
    this.#onLine = options.onLine;
    this.#onTooLong = options.onTooLong;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (!this.#broken && rest.length > 0) {
      const end = rest.indexOf(0x0a);
      const piece = end === -1 ? rest : rest.subarray(0, end);
      rest = end === -1 ? Buffer.alloc(0) : rest.subarray(end + 1);
      this.#pieces.push(piece);
      this.#length += piece.length;
      if (this.#length > this.#longest) this.#break();
      else if (end !== -1) this.#emit();
    }
  }

  #emit(): void {
    const line = Buffer.concat(this.#pieces).toString("utf8");
    this.#pieces = [];
    this.#length = 0;
    if (line.trim() !== "") this.#onLine(line);
  }

  #break(): void {
    this.#broken = true;
    this.#pieces = [];
    this.#onTooLong();
  }
}
