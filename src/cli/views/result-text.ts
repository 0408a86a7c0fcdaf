import { plain } from "../terminal/sanitize.ts";

/**
 * The text of an agent for stdout. Behind a pipe there is often a terminal (`| tail`), and a log is read in one, so
 * control sequences are removed everywhere. `--raw` keeps them, except on a terminal itself.
 */
export function resultText(words: string, { raw }: { raw?: boolean }): string {
  return raw === true && !process.stdout.isTTY ? words : plain(words);
}
