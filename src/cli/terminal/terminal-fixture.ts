import { displayWidth } from "./width.ts";

/** Understands exactly what the view writes and refuses everything else, so that nothing hostile slips through. */
export class Terminal {
  columns: number;
  rows: number;
  readonly lines: string[] = [""];
  readonly writes: string[] = [];
  row = 0;
  cursorHidden = false;
  wrapping = true;
  listeners = new Set<() => void>();

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  on(_: "resize", listener: () => void): void {
    this.listeners.add(listener);
  }

  off(_: "resize", listener: () => void): void {
    this.listeners.delete(listener);
  }

  resize(columns: number, rows: number): void {
    Object.assign(this, { columns, rows });
    for (const listener of this.listeners) listener();
  }

  write(text: string): void {
    this.writes.push(text);
    let column = 0;
    for (const token of text.match(/\x1b\[\??[\d;]*[A-Za-z]|\r\n|[^\x1b\r]+|[^]/g) ?? []) {
      const sequence = /^\x1b\[(\??[\d;]*)([A-Za-z])$/.exec(token);
      if (sequence !== null) {
        this.#act(sequence[1] ?? "", sequence[2] ?? "", column);
      } else if (token === "\r\n") {
        this.row += 1;
        column = 0;
        if (this.row === this.lines.length) this.lines.push("");
      } else {
        if (forbidden.test(token)) throw new Error(`control character in ${JSON.stringify(token)}`);
        const line = this.lines[this.row] ?? "";
        const head = line.slice(0, column) + token;
        this.lines[this.row] = head + line.slice(head.length);
        column = head.length;
        if (displayWidth(head) >= this.columns) throw new Error(`too wide: ${head}`);
      }
    }
  }

  /** The screen above the cursor. */
  get text(): string {
    if (this.lines[this.row] !== "")
      throw new Error(`the cursor stands in ${this.lines[this.row]}`);
    return this.lines.slice(0, this.row).join("\n");
  }

  #act(parameter: string, command: string, column: number): void {
    const count = Number(parameter);
    if (command === "A") this.row -= count;
    else if (command === "B") this.row += count;
    else if (command === "K") this.lines[this.row] = this.lines[this.row]?.slice(0, column) ?? "";
    else if (command === "J") this.lines.splice(this.row, Infinity, "");
    else if (parameter === "?25") this.cursorHidden = command === "l";
    else if (parameter === "?7") this.wrapping = command === "h";
    else if (command !== "m" && parameter !== "?2026") throw new Error(`sequence ${command}`);
    const onScreen = this.row >= 0 && this.lines.length - this.row <= this.rows;
    if (!onScreen || this.row >= this.lines.length) throw new Error(`cursor in row ${this.row}`);
  }
}

const forbidden = /[\x00-\x1f\x7f-\x9f]|\p{Bidi_Control}/u;
