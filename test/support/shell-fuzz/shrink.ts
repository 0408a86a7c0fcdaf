import { mayRun } from "./may-run.ts";

/** Leaves out pieces, big ones first, as long as the rest still violates. */
export async function shrink(
  command: string,
  violates: (command: string) => Promise<boolean>,
): Promise<string> {
  let [text, tries] = [command, 0];
  for (let size = Math.ceil(text.length / 2); size >= 1; size = size === 1 ? 0 : size >> 1) {
    for (let at = 0; at < text.length && tries < mostTries;) {
      const shorter = text.slice(0, at) + text.slice(at + size);
      const tried = shorter.trim() !== "" && mayRun(shorter);
      if (tried) tries += 1;
      if (tried && (await violates(shorter))) text = shorter;
      else at += size;
    }
  }
  return text;
}

const mostTries = 120;
