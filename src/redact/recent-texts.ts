/** What several agents at a time say again and again. */
const most = 256;

/**
 * Short texts that were met lately. The oldest are let go of together, with the whole set that holds them: a set that lives on
 * keeps what it has lost in the tables that it has left (see `Roster`).
 */
export class RecentTexts {
  #recent = new Set<string>();
  #earlier = new Set<string>();

  has(text: string): boolean {
    if (this.#recent.has(text)) return true;
    if (!this.#earlier.has(text)) return false;
    this.add(text);
    return true;
  }

  add(text: string): void {
    if (this.#recent.size >= most) {
      this.#earlier = this.#recent;
      this.#recent = new Set();
    }
    this.#recent.add(text);
  }
}
