import { randomOf, type Random } from "../random.ts";
import type { Places } from "../lanes.ts";
import { smuggledCommand } from "../generate-command.ts";
import { agentCommands } from "./corpus.ts";
import { bashSuite } from "./bash-suite.ts";
import { insertionAt, insertionCount, liveCommand } from "./live.ts";
import { openOptions } from "./options.ts";
import { quotedCommand } from "./quoting.ts";
import { readableCommand } from "./readable.ts";

export const sourceNames = [
  "readable",
  "live",
  "quoting",
  "options",
  "smuggled",
  "corpus",
  "bash suite",
] as const;
export type SourceName = (typeof sourceNames)[number];

/** How often each of them has its turn. */
const turnsOf = [
  ...(["readable", "live", "options", "quoting", "live"] as const),
  ...(["readable", "smuggled", "options", "live", "readable"] as const),
];

export interface Generated {
  index: number;
  source: SourceName;
  command: string;
}

/** The command with a number: the same for the same seed, on the same machine. */
export type Generate = (index: number) => Generated;

/** Real commands and bash's own tests come first, each once; the rest is made by chance. */
export function openSources(options: {
  seed: number;
  places: Places;
  /** Only these. */
  only?: readonly SourceName[];
  corpus?: string | undefined;
}): Generate {
  const { seed, places, only = sourceNames } = options;
  const real = only.includes("corpus") ? agentCommands(places, options.corpus) : [];
  const suite = only.includes("bash suite") ? bashSuite() : [];
  const withOptions = openOptions(places.programs);
  const turns = turnsOf.filter((name) => only.includes(name));
  const stride = strideFor(insertionCount);
  const makers = {
    readable: readableCommand,
    quoting: quotedCommand,
    options: withOptions,
    live(random: Random, at: number) {
      if (at % 3 > 0) return liveCommand(random, at);
      // Every token at every place, in an order that a short run profits from too.
      return insertionAt(((at / 3 + seed * 7919) * stride) % insertionCount);
    },
    smuggled: smuggledCommand,
  };
  return (index) => {
    const random = randomOf(seed, index);
    const fixed = real[index];
    if (fixed !== undefined) return { index, source: "corpus", command: fixed };
    const chunk = suite[index - real.length];
    if (chunk !== undefined) return { index, source: "bash suite", command: chunk };
    const at = index - real.length - suite.length;
    const source = turns[at % turns.length];
    if (source === undefined) return { index, source: "corpus", command: "true" };
    return { index, source, command: makers[source](random, at) };
  };
}

/** A step that reaches every number below the limit before it comes back. */
function strideFor(limit: number): number {
  let stride = Math.floor(limit * 0.618);
  while (common(stride, limit) !== 1) stride += 1;
  return stride;
}

function common(a: number, b: number): number {
  return b === 0 ? a : common(b, a % b);
}
