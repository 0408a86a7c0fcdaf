import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes agent files as people have them, in the proportions that were counted in public repositories: half of them
 * plain, the rest with lists, folded texts, unknown nested fields, and colons that strict YAML refuses.
 */
export function writeSampleDefinitions(directory: string, count: number): void {
  mkdirSync(directory, { recursive: true });
  for (let number = 0; number < count; number += 1) {
    const kind = kinds[number % kinds.length] ?? plain;
    writeFileSync(join(directory, `agent-${number}.md`), sampleDefinition(number, kind));
  }
}

export function sampleDefinition(number: number, kind: Kind = plain): string {
  return `---\nname: agent-${number}\n${kind(number)}\n---\n\n${body(number)}`;
}

type Kind = (number: number) => string;

const plain: Kind = (number) =>
  `description: Reviews part ${number} of the code base and reports what it finds\ntools: Read, Grep, Glob, Bash\nmodel: sonnet`;
const quoted: Kind = (number) =>
  `description: "Use this agent when part ${number} has changed.\\\\n\\\\nExamples:\\\\n- user: check it\\\\n- assistant: I use agent ${number}"\nmodel: opus\ncolor: blue`;
const list: Kind = (number) =>
  `description: Looks after part ${number}\ntools:\n  - Read\n  - Write\n  - Edit\n  - mcp__context7__search`;
const folded: Kind = (number) =>
  `description: >\n  Looks after part ${number},\n  and does so thoroughly.\nmodel: haiku`;
const nested: Kind = (number) =>
  `description: Looks after part ${number}\ncapabilities:\n  - analysis\n  - review\nmetadata:\n  version: 1.0.0\n  tags: [a, b]\npriority: 5`;
const colon: Kind = (number) =>
  `description: Use for part ${number}. Examples: <example> Context: the user asks: "why?" </example>\ntools: Read, Grep`;

const kinds: readonly Kind[] = [
  ...Array.from({ length: 10 }, () => plain),
  ...Array.from({ length: 3 }, () => quoted),
  list,
  list,
  folded,
  nested,
  nested,
  nested,
  colon,
];

function body(number: number): string {
  const line = `You look after part ${number}. Read what is there before you say anything, and say where you found it.\n`;
  return line.repeat(40);
}
