import { createHash } from "node:crypto";
import type { AgentDefinition } from "../definitions/definition.ts";

const known = new WeakMap<AgentDefinition, string>();

/** The hash of a definition's content: grants to an agent expire when its author changes it. */
export function definitionHash(definition: AgentDefinition): string {
  let hash = known.get(definition);
  if (hash === undefined) {
    const { file: _, ...content } = definition;
    const fields = Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1));
    hash = createHash("sha256").update(JSON.stringify(fields)).digest("hex").slice(0, 32);
    known.set(definition, hash);
  }
  return hash;
}
