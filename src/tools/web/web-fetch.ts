import { isIP } from "node:net";
import { z } from "zod";
import { errorMessage } from "../../contract/errors.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";
import { requestPage, type WebAnswer } from "./web-request.ts";
import { leafTool, ToolFailure, type LeafTool, type ToolOutput } from "../tool.ts";

const timeLimitMs = 30_000;
const bodyCap = 10_000_000;
const redirectCap = 10;
const shownCap = 100_000;

export const webFetchTool: LeafTool = leafTool({
  name: "WebFetch",
  description: "Read a web page as Markdown. Long pages come in parts: see offset.",
  effect: "look",
  background: true,
  audience: "all",
  mainField: "url",
  concurrency: "shared",
  repeatable: true,
  input: z.object({
    url: z.string(),
    prompt: z.string().describe("What you look for"),
    offset: z.number().min(0).default(0).describe("Character to start from"),
  }),
  async execute({ url, prompt, offset }, context) {
    const { signal } = context;
    const began = performance.now();
    const answer = (response: WebAnswer, bytes: number, result: string): ToolOutput => ({
      content: result,
      data: {
        bytes,
        code: response.status,
        codeText: response.statusText,
        result,
        durationMs: Math.round(performance.now() - began),
        url,
      },
    });
    const start = addressOf(url);
    const timeUp = AbortSignal.timeout(timeLimitMs);
    const either = AbortSignal.any([signal, timeUp]);
    try {
      const { response, address, elsewhere } = await request(start, {
        signal: either,
        mayReachPrivate: context.mayReachPrivate?.(start.href) ?? false,
      });
      if (elsewhere !== undefined) {
        response.close();
        const text = `${address.href} redirects to another host. To read it, call WebFetch with the URL ${elsewhere.href}`;
        return answer(response, 0, text);
      }
      if (response.status < 200 || response.status >= 300) {
        response.close();
        const text = `HTTP ${response.status} ${response.statusText} at ${address.href}. Check the URL, or try another source.`;
        return { ...answer(response, 0, text), isError: true };
      }
      const body = await bodyOf(response, address);
      const text = await textOf(response, body, either);
      return answer(response, body.length, excerpt(text, prompt, offset));
    } catch (error) {
      signal.throwIfAborted();
      if (timeUp.aborted) {
        throw new ToolFailure(
          `${start.href} could not be read within ${timeLimitMs / 1000} s. Use another source.`,
        );
      }
      if (error instanceof ToolFailure) throw error;
      throw new ToolFailure(
        `${start.href} could not be read: ${causeOf(error)}. Check the URL, or use another source.`,
      );
    }
  },
});

interface Fetched {
  response: WebAnswer;
  address: URL;
  /** The target of a redirect that needs a decision of its own: permissions are given by host. */
  elsewhere?: URL;
}

async function request(
  start: URL,
  options: { signal: AbortSignal; mayReachPrivate: boolean },
): Promise<Fetched> {
  let address = start;
  for (let redirects = 0; redirects <= redirectCap; redirects += 1) {
    const response = await requestPage(address, options);
    const location = response.header("location");
    if (response.status < 300 || response.status >= 400 || location === null)
      return { response, address };
    const next = addressOf(new URL(location, address).href);
    if (next.host !== address.host) return { response, address, elsewhere: next };
    response.close();
    address = next;
  }
  throw new ToolFailure(
    `${start.href} redirects more than ${redirectCap} times. Use another source.`,
  );
}

function addressOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new ToolFailure(
      `'${text}' is not a web address. Give a whole URL: https://example.com/page`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolFailure("The URL holds a user name or password. Give it without them.");
  }
  if (url.protocol === "http:" && !isLocal(url.hostname)) url.protocol = "https:";
  return url;
}

/** Whether a host is local: such hosts seldom have a certificate. */
function isLocal(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    isIP(hostname.replace(/^\[|\]$/g, "")) !== 0
  );
}

async function bodyOf(response: WebAnswer, address: URL): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > bodyCap) {
      response.close();
      throw new ToolFailure(
        `${address.href} is larger than 10 MB. Download it with Bash (curl) and read parts of it.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const textTypes =
  /^text\/|^application\/(?:.*\+)?(?:json|xml|javascript|ecmascript|yaml|x-yaml|toml|x-sh|x-ndjson|graphql|sql)$/;

async function textOf(response: WebAnswer, body: Buffer, signal: AbortSignal): Promise<string> {
  const header = response.header("content-type") ?? "";
  const type = (header.split(";")[0] ?? "").trim().toLowerCase();
  if (type === "" ? body.includes(0) : !textTypes.test(type) && !isHtml(type)) {
    throw new ToolFailure(
      `This is not text (${type || "no content type"}). Download it with Bash (curl) if you need it.`,
    );
  }
  const text = decode(body, /charset\s*=\s*"?([\w-]+)/i.exec(header)?.[1]);
  return isHtml(type) ? htmlToMarkdown(text, signal) : text;
}

function isHtml(type: string): boolean {
  return type === "text/html" || type === "application/xhtml+xml";
}

function decode(body: Buffer, charset: string = "utf-8"): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** The text of the page, below a line that repeats the prompt. No second model reads it. */
function excerpt(text: string, prompt: string, offset: number): string {
  if (offset > 0 && offset >= text.length) {
    throw new ToolFailure(`The page has ${text.length} characters. Give an offset below that.`);
  }
  const end = Math.min(text.length, offset + shownCap);
  const more =
    end < text.length
      ? `\n[Characters ${offset} to ${end} of ${text.length}. To read on, repeat with offset ${end}.]`
      : "";
  return `# ${prompt.replaceAll(/\s+/g, " ")}\n\n${text.slice(offset, end).toWellFormed() || "(empty page)"}${more}`;
}

/** The cause of a failed request. If a host has several addresses, each has failed separately; the first counts. */
function causeOf(error: unknown): string {
  return errorMessage(error instanceof AggregateError ? error.errors[0] : error);
}
