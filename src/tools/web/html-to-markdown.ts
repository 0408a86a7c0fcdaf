import { once } from "node:events";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

const require = createRequire(import.meta.url);
const wholePageCap = 250_000;
const pieceCap = 50_000;

/**
 * Converts in a thread of its own, which the signal can end: the converter takes quadratic time (1 MB of paragraphs: 47
 * s), and one page must not hold up all agents. Long pages are converted piece by piece for the same reason.
 */
export async function htmlToMarkdown(html: string, signal: AbortSignal): Promise<string> {
  const library = require.resolve("node-html-markdown");
  const worker = new Worker(converter, {
    eval: true,
    workerData: { library, pieces: piecesOf(html) },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  try {
    const [markdown] = (await once(worker, "message", { signal })) as [string];
    return markdown;
  } finally {
    await worker.terminate();
  }
}

const converter = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { NodeHtmlMarkdown } = require(workerData.library);
  const parts = workerData.pieces.map((piece) => NodeHtmlMarkdown.translate(piece));
  parentPort.postMessage(parts.filter((part) => part !== "").join("\\n\\n"));
`;

function piecesOf(html: string): string[] {
  const visible = withoutScripts(html);
  if (visible.length <= wholePageCap) return [visible];
  const pieces: string[] = [];
  let piece = "";
  for (const block of visible.split(/(?=<(?:h[1-6]|p|div|section|article)[\s>])/i)) {
    if (piece.length + block.length > pieceCap) {
      pieces.push(piece);
      piece = "";
    }
    piece += block;
  }
  return [...pieces, piece];
}

/** Removes scripts by splitting: an expression from tag to closing tag is quadratic on a page that closes none. */
function withoutScripts(html: string): string {
  const [start = "", ...tags] = html.split(/<(?=\/?(?:script|style|svg)\b)/i);
  const kept = tags.map((tag) => (tag.startsWith("/") ? tag.slice(tag.indexOf(">") + 1) : ""));
  return start + kept.join("");
}
