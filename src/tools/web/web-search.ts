import { z } from "zod";
import { quoted } from "../line.ts";
import { leafTool, ToolFailure, type LeafTool } from "../tool.ts";

const domains = z.array(z.string().min(1)).optional();
const maxText = 20_000;
const maxLinks = 50;

/** The tool WebSearch, listed only where the model's provider can search. */
export const webSearchTool: LeafTool = leafTool({
  name: "WebSearch",
  description: "Search the web: a summary and links. Read a page with WebFetch.",
  input: z.object({
    query: z.string().min(2),
    allowed_domains: domains.describe("Only these"),
    blocked_domains: domains.describe("Not these"),
  }),
  effect: "look",
  background: true,
  audience: "all",
  mainField: "query",
  line: ({ query }) => quoted(query),
  concurrency: "shared",
  repeatable: true,

  async execute({ query, allowed_domains, blocked_domains }, context) {
    if (context.search === undefined) {
      throw new ToolFailure("This model cannot search the web. Use WebFetch with an address.");
    }
    const [allowedDomains, blockedDomains] = [allowed_domains ?? [], blocked_domains ?? []];
    if (allowedDomains.length > 0 && blockedDomains.length > 0) {
      throw new ToolFailure("Give allowed_domains or blocked_domains, not both.");
    }
    const startedAt = performance.now();
    const { text, links, problems } = await context.search({
      query,
      ...(allowedDomains.length === 0 ? {} : { allowedDomains }),
      ...(blockedDomains.length === 0 ? {} : { blockedDomains }),
    });
    if (links.length === 0 && problems.length > 0) {
      throw new ToolFailure(
        `The provider could not search: ${problems.join(", ")}. Search again later, or use WebFetch.`,
      );
    }
    const shown = links.slice(0, maxLinks);
    // Without a source the text is only the model's own knowledge.
    const summary = links.length === 0 ? "" : text.trim().slice(0, maxText);
    const content = [
      links.length === 0 ? `Nothing was found for "${query}".` : `Results for "${query}":`,
      summary,
      shown.map(({ title, url }) => `- ${title}: ${url}`).join("\n"),
    ];
    return {
      content: content
        .filter((part) => part !== "")
        .join("\n\n")
        .toWellFormed(),
      data: {
        query,
        results: [{ content: shown.map(({ title, url }) => ({ title, url })) }, summary],
        durationSeconds: (performance.now() - startedAt) / 1000,
      },
    };
  },
});
