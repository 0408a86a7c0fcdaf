import { plain } from "../terminal/sanitize.ts";

/**
 * The words of an agent for stdout. Behind a pipe there is often a terminal (`| tail`), and a log is read in one, so control
 * sequences are taken out everywhere. `--raw` keeps them; what is a terminal itself never gets them.
 */
export function resultText(words: string, { raw }: { raw?: boolean }): string {
  return raw === true && !process.stdout.isTTY ? words : plain(words);
}
