import { isCollection, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { errorMessage } from "../../contract/errors.ts";

/** YAML that remembers its lines. Aliases are refused: a few of them can expand to gigabytes. */
export interface YamlSource {
  value: unknown;
  problems: { line: number; message: string }[];
  /** The line of the innermost existing node on the path, or of a key in it. */
  lineOf(path: readonly PropertyKey[], key?: string): number;
}

export function readYaml(text: string): YamlSource {
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined): number => lines.linePos(offset ?? 0).line;
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    // One syntax error causes the next: only the first is the author's.
    const problems = [...document.errors.slice(0, 1), ...document.warnings].map(
      ({ pos, message }) => ({
        line: lineAt(pos[0]),
        message: `${message} (text with : # , [ ] { } or a leading ! & * needs quotes)`,
      }),
    );
    visit(document, {
      Alias(_, alias) {
        const message = `*${alias.source}: aliases are not allowed; write the value out`;
        problems.push({ line: lineAt(alias.range?.[0]), message });
      },
      // YAML parses an unquoted template as such a key.
      Pair(_, { key }) {
        if (!isCollection(key)) return;
        const message = "a text that begins with {{ needs quotes around the whole of it";
        problems.push({ line: lineAt(key.range?.[0]), message });
      },
    });
    return {
      value: problems.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 }),
      problems,
      lineOf(path, key) {
        for (let length = path.length; length >= 0; length -= 1) {
          const node =
            length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
          if (isNode(node)) return lineAt(keyOffset(node, key) ?? node.range?.[0]);
        }
        return 1;
      },
    };
  } catch (error) {
    const problem = { line: 1, message: `is not usable YAML (${errorMessage(error)})` };
    return { value: undefined, problems: [problem], lineOf: () => 1 };
  }
}

function keyOffset(node: unknown, key: string | undefined): number | undefined {
  if (key === undefined || !isMap(node)) return undefined;
  const pair = node.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
  return isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
}
