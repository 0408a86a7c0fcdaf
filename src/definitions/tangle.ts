/**
 * The reason why frontmatter is kept from the YAML parser. Text that takes it minutes (`? ? ? …`, `&a &a …`) or its
 * stack (20,000 brackets) is never what people write. `null`: it may be parsed.
 */
export function tangle(head: string): string | null {
  if (head.length > largest)
    return `the frontmatter is longer than ${largest / 1024} KiB; move text into the body`;
  if (/(?:[?-][ \t]+){17}/.test(head)) return "it is nested too deeply";
  if ((head.match(/(?:^|\s)&\S/g) ?? []).length > 200) return "it has too many anchors (&name)";
  return deepest(head) > 100 ? "it is nested too deeply" : null;
}

const largest = 64 * 1024;

/** The depth of brackets. Brackets in text count too: a little too careful, and quick. */
function deepest(head: string): number {
  let depth = 0;
  let most = 0;
  for (const character of head) {
    if (character === "[" || character === "{") most = Math.max(most, (depth += 1));
    else if (character === "]" || character === "}") depth = Math.max(0, depth - 1);
  }
  return most;
}
