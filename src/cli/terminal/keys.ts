/** A key that was pressed: a character, or one of these names. */
export type Key = string;

const named: ReadonlyMap<string, Key> = new Map([
  ["\r", "enter"],
  ["\n", "enter"],
  ["\x7f", "backspace"],
  ["\b", "backspace"],
  ["\x02", "ctrl-b"],
  ["\x03", "ctrl-c"],
  ["\x15", "ctrl-u"],
  ["\x1a", "ctrl-z"],
  ["\x1b", "escape"],
  ["\x1b[A", "up"],
  ["\x1b[B", "down"],
  ["\x1bOA", "up"],
  ["\x1bOB", "down"],
]);

/** The keys in what a terminal in raw mode sent. Sequences and controls without a name are left out. */
export function keysOf(chunk: string): Key[] {
  return (chunk.match(pattern) ?? []).flatMap((token) => {
    const name = named.get(token);
    if (name !== undefined) return [name];
    return /^[^\x00-\x1f\x7f-\x9f]$/u.test(token) ? [token] : [];
  });
}

const pattern = /\x1b\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|\x1bO[\x40-\x7e]|[^]/gu;

/** Edits one line that a person types: returns the new text, or `submit` or `cancel`. */
export function editLine(text: string, key: Key): { text: string } | "submit" | "cancel" {
  switch (key) {
    case "enter":
      return "submit";
    case "escape":
      return "cancel";
    case "ctrl-u":
      return { text: "" };
    case "backspace":
      return { text: Array.from(text).slice(0, -1).join("") };
    default:
      // Names of other keys are longer than any character.
      return { text: Array.from(key).length === 1 ? text + key : text };
  }
}
