import type {
  ContentBlock,
  Message,
  MessageCreateParamsNonStreaming,
  WebSearchTool20250305,
} from "@anthropic-ai/sdk/resources/messages/messages";
import { addUsage, noUsage } from "../message.ts";
import type { WebFindings, WebLink, WebQuery } from "./model.ts";

/** One question may take several searches; each costs. */
const mostSearches = 5;
/** The provider pauses a long turn; each pause is one more request. */
const mostRequests = 5;

/** Asks a model that has the provider's search tool, until its turn is over, and gathers what came back. */
export async function searchWeb(
  query: WebQuery,
  ask: (body: MessageCreateParamsNonStreaming) => Promise<Message>,
): Promise<WebFindings> {
  const messages: MessageCreateParamsNonStreaming["messages"] = [
    { role: "user", content: `${instruction}\n\nQuery: ${query.query}` },
  ];
  const blocks: ContentBlock[] = [];
  let usage = noUsage;
  let searches = 0;
  for (let request = 1; ; request += 1) {
    const answer = await ask({
      model: query.model,
      max_tokens: 8_000,
      thinking: { type: "disabled" },
      tools: [searchTool(query)],
      messages,
    });
    blocks.push(...answer.content);
    usage = addUsage(usage, {
      input: answer.usage.input_tokens,
      output: answer.usage.output_tokens,
      cacheRead: answer.usage.cache_read_input_tokens ?? 0,
      cacheWrite: answer.usage.cache_creation_input_tokens ?? 0,
    });
    searches += answer.usage.server_tool_use?.web_search_requests ?? 0;
    if (answer.stop_reason !== "pause_turn" || request === mostRequests) {
      return { model: answer.model, ...findings(blocks), usage, searches };
    }
    messages.push({ role: "assistant", content: answer.content });
  }
}

const instruction =
  "Search the web for the query below, then report in a few sentences what the results say about it. State nothing that is not in them.";

function searchTool({ allowedDomains, blockedDomains }: WebQuery): WebSearchTool20250305 {
  return {
    type: "web_search_20250305",
    name: "web_search",
    max_uses: mostSearches,
    ...(allowedDomains === undefined ? {} : { allowed_domains: [...allowedDomains] }),
    ...(blockedDomains === undefined ? {} : { blocked_domains: [...blockedDomains] }),
  };
}

function findings(
  blocks: readonly ContentBlock[],
): Pick<WebFindings, "text" | "links" | "problems"> {
  const links = new Map<string, WebLink>();
  const problems = new Set<string>();
  const texts: string[] = [];
  for (const block of blocks) {
    if (block.type === "text") texts.push(block.text);
    if (block.type !== "web_search_tool_result") continue;
    if (!Array.isArray(block.content)) problems.add(block.content.error_code);
    else for (const { title, url } of block.content) links.set(url, { title, url });
  }
  return { text: texts.join("").trim(), links: [...links.values()], problems: [...problems] };
}
