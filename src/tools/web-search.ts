import { z } from "zod";
import { leafTool, ToolFailure, type LeafTool } from "./tool.ts";

const domains = z.array(z.string().min(1)).optional();
const maxText = 20_000;
const maxLinks = 50;

/** Listed only where the model's provider can search. */
export const webSearchTool: LeafTool = leafTool({
  name: "WebSearch",
  description: "Search the web: a summary and links. Read a page with WebFetch.",
  input: z.object({
    query: z.string().min(2),
    allowed_domains: domains.describe("Only these"),
    blocked_domains: domains.describe("Not these"),
  }),
  concurrency: "shared",
  repeatable: true,

  async execute({ query, allowed_domains, blocked_domains }, context) {
    if (context.search === undefined) {
      throw new ToolFailure("This model cannot search the web. Use WebFetch with an address.");
    }
    if (allowed_domains !== undefined && blocked_domains !== undefined) {
      throw new ToolFailure("Give allowed_domains or blocked_domains, not both.");
    }
    const startedAt = performance.now();
    const { text, links, problems } = await context.search({
      query,
      ...(allowed_domains === undefined ? {} : { allowedDomains: allowed_domains }),
      ...(blocked_domains === undefined ? {} : { blockedDomains: blocked_domains }),
    });
    if (links.length === 0 && problems.length > 0) {
      throw new ToolFailure(
        `The provider could not search: ${problems.join(", ")}. Search again later, or use WebFetch.`,
      );
    }
    const shown = links.slice(0, maxLinks);
    const content = [
      links.length === 0 ? `Nothing was found for "${query}".` : `Results for "${query}":`,
      text.slice(0, maxText),
      shown.map(({ title, url }) => `- ${title}: ${url}`).join("\n"),
    ];
    return {
      content: content
        .filter((part) => part !== "")
        .join("\n\n")
        .toWellFormed(),
      data: {
        query,
        results: [{ content: shown.map(({ title, url }) => ({ title, url })) }, text],
        durationSeconds: (performance.now() - startedAt) / 1000,
      },
    };
  },
});
