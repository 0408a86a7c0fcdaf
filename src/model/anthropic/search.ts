import type {
  ContentBlock,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
  WebSearchTool20250305,
} from "@anthropic-ai/sdk/resources/messages/messages";
import { AnthropicDraft, parsedInput } from "./draft.ts";
import type { ModelDelta, WebFindings, WebLink, WebQuery } from "../model.ts";

/** Most searches for one question; each has a cost. */
const mostSearches = 5;

/** The state of a paused search. */
interface PausedSearch {
  content: ContentBlockParam[];
  searches: number;
}

/** Asks a model that has the provider's search tool, in its basic version. */
export function searchBody(query: WebQuery): MessageCreateParamsStreaming {
  const rest = query.rest as PausedSearch | undefined;
  return {
    model: query.model,
    max_tokens: 8_000,
    thinking: { type: "disabled" },
    tools: [searchTool(query, Math.max(1, mostSearches - (rest?.searches ?? 0)))],
    messages: [
      { role: "user", content: `${instruction}\n\nQuery: ${query.query}` },
      ...(rest === undefined ? [] : [{ role: "assistant", content: rest.content } as const]),
    ],
    stream: true,
  };
}

const instruction =
  "Search the web for the query below, then report in a few sentences what the results say about it. State nothing that is not in them.";

function searchTool(
  { allowedDomains, blockedDomains }: WebQuery,
  uses: number,
): WebSearchTool20250305 {
  return {
    type: "web_search_20250305",
    name: "web_search",
    max_uses: uses,
    ...(allowedDomains === undefined ? {} : { allowed_domains: [...allowedDomains] }),
    ...(blockedDomains === undefined ? {} : { blocked_domains: [...blockedDomains] }),
  };
}

/** The answer to a search as it arrives. Its blocks are kept unchanged: a paused search resumes from them. */
export class SearchDraft {
  readonly #before: PausedSearch | undefined;
  readonly #draft: AnthropicDraft;
  readonly #blocks = new Map<number, ContentBlock & { json?: string }>();
  #searches = 0;
  #paused = false;

  constructor(query: WebQuery) {
    this.#before = query.rest as PausedSearch | undefined;
    this.#draft = new AnthropicDraft(query.model);
  }

  take(event: RawMessageStreamEvent): ModelDelta {
    const delta = this.#draft.take(event);
    if (event.type === "content_block_start") {
      this.#blocks.set(event.index, structuredClone(event.content_block));
      // The provider sends its own count only at the end.
      if (event.content_block.type === "web_search_tool_result") this.#searches += 1;
    } else if (event.type === "content_block_delta") this.#extend(event);
    else if (event.type === "message_delta") {
      this.#paused = event.delta.stop_reason === "pause_turn";
      this.#searches = event.usage?.server_tool_use?.web_search_requests ?? this.#searches;
    }
    return delta?.type === "usage" ? { ...delta, searches: this.#searches } : { type: "alive" };
  }

  answer(requestId: string): WebFindings {
    const { model, usage } = this.#draft.answer(requestId);
    const searches = (this.#before?.searches ?? 0) + this.#searches;
    const content = [...(this.#before?.content ?? []), ...this.#content()];
    return {
      model,
      usage,
      searches: this.#searches,
      ...found(content),
      ...(this.#paused ? { rest: { content, searches } satisfies PausedSearch } : {}),
    };
  }

  #extend({ index, delta }: Extract<RawMessageStreamEvent, { type: "content_block_delta" }>): void {
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    if (delta.type === "text_delta" && block.type === "text") block.text += delta.text;
    if (delta.type === "citations_delta" && block.type === "text") {
      block.citations = [...(block.citations ?? []), delta.citation];
    }
    if (delta.type === "input_json_delta") block.json = (block.json ?? "") + delta.partial_json;
  }

  /** Blocks without those that the provider refuses to get back: blank texts, and thinking that was cut. */
  #content(): ContentBlockParam[] {
    return [...this.#blocks.values()].flatMap(({ json = "", ...block }): ContentBlockParam[] => {
      if (block.type === "text") return block.text.trim() === "" ? [] : [block];
      if (block.type === "thinking" || block.type === "redacted_thinking") return [];
      const input = parsedInput(json);
      return [
        block.type === "server_tool_use" && input !== undefined ? { ...block, input } : block,
      ];
    });
  }
}

function found(
  blocks: readonly ContentBlockParam[],
): Pick<WebFindings, "text" | "links" | "problems"> {
  const links = new Map<string, WebLink>();
  const problems = new Set<string>();
  let text = "";
  let apart = false;
  for (const block of blocks) {
    // Adjacent pieces belong to one passage; others start a new paragraph.
    if (block.type === "text") text += apart && text !== "" ? `\n\n${block.text}` : block.text;
    apart = block.type !== "text";
    if (block.type !== "web_search_tool_result") continue;
    if (!Array.isArray(block.content)) problems.add(block.content.error_code);
    else for (const { title, url } of block.content) links.set(url, { title, url });
  }
  return { text, links: [...links.values()], problems: [...problems] };
}
