import { z } from "zod";

/** A server that an agent asks for. Without a configuration it is one that is configured elsewhere. */
export interface McpServerUse {
  readonly name: string;
  readonly configuration: Readonly<Record<string, unknown>> | null;
  /** Tools to offer; `null`: all. */
  readonly tools: readonly string[] | null;
}

/**
 * The schema of servers. Entries are a name, `{name: configuration}` or `{serverName, tools?}`; a map from names to
 * configurations is accepted too.
 */
export function mcpServersSchema(): z.ZodType<McpServerUse[]> {
  const configuration = z
    .looseObject({ command: z.string().min(1).optional(), url: z.string().min(1).optional() })
    .refine(
      ({ command, url }) => command !== undefined || url !== undefined,
      "give command or url",
    );
  const named = z
    .string()
    .min(1)
    .transform((name) => [{ name, configuration: null, tools: null }]);
  const chosen = z
    .strictObject({ serverName: z.string().min(1), tools: z.array(z.string()).optional() })
    .transform(({ serverName, tools }) => [
      { name: serverName, configuration: null, tools: tools ?? null },
    ]);
  const inline = z
    .record(z.string().min(1), configuration)
    .transform((servers) =>
      Object.entries(servers).map(([name, given]) => ({ name, configuration: given, tools: null })),
    );
  return z.union([
    z.array(z.union([named, chosen, inline])).transform((entries) => entries.flat()),
    inline,
  ]);
}
