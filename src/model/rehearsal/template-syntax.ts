/** The syntax of templates: text with `{{ path | filter argument }}` in it. Knows no path and no filter. */
export type TemplatePiece = string | Expression;

export interface Expression {
  /** The expression as written, for messages. */
  source: string;
  path: string;
  /** Quoted text in the place of a path. */
  literal: string | undefined;
  filters: Filter[];
}

export interface Filter {
  name: string;
  argument: Argument | undefined;
}

type Argument =
  | { kind: "text"; text: string }
  | { kind: "number"; number: number }
  | { kind: "regex"; pattern: string };

export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

export function parseTemplate(text: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let position = 0;
  while (position < text.length) {
    const open = text.indexOf("{{", position);
    if (open === -1) return [...pieces, text.slice(position)];
    if (open > position) pieces.push(text.slice(position, open));
    const { tokens, end } = readTokens(text, open);
    pieces.push(expressionOf(tokens, text.slice(open, end)));
    position = end;
  }
  return pieces;
}

type Token = Argument | { kind: "word"; word: string } | { kind: "pipe" };

const tokenExpression =
  /\s*(?:(?<close>\}\})|(?<pipe>\|)|"(?<double>(?:[^"\\]|\\.)*)"|'(?<single>(?:[^'\\]|\\.)*)'|(?<regex>\/(?:[^/\\]|\\.)+\/[a-z]*)|(?<number>-?\d+(?![\w.]))|(?<word>[\w.:-]+))/sy;

function readTokens(text: string, open: number): { tokens: Token[]; end: number } {
  const tokens: Token[] = [];
  let end = open + 2;
  for (;;) {
    tokenExpression.lastIndex = end;
    const groups = tokenExpression.exec(text)?.groups;
    if (groups === undefined) {
      const found = text.slice(end).trim().slice(0, 20);
      const problem = found === "" ? "never closed" : `not understood at "${found}"`;
      throw new TemplateError(
        `${text.slice(open, open + 40)}: the template is ${problem}; write {{ path | filter }}, or {{ "{{" }} for two literal braces`,
      );
    }
    end = tokenExpression.lastIndex;
    if (groups["close"] !== undefined) return { tokens, end };
    tokens.push(tokenOf(groups));
  }
}

function tokenOf(groups: Record<string, string | undefined>): Token {
  const { double, single, regex, number, word } = groups;
  // Only the quote itself is escaped, so that a regex in quotes needs no doubled backslashes.
  if (double !== undefined) return { kind: "text", text: double.replaceAll(String.raw`\"`, '"') };
  if (single !== undefined) return { kind: "text", text: single.replaceAll(String.raw`\'`, "'") };
  if (regex !== undefined) return { kind: "regex", pattern: regex };
  if (number !== undefined) return { kind: "number", number: Number(number) };
  return word === undefined ? { kind: "pipe" } : { kind: "word", word };
}

function expressionOf(tokens: Token[], source: string): Expression {
  const [head = [], ...tails] = splitAtPipes(tokens);
  const [start, ...extra] = head;
  if (extra.length > 0 || (start?.kind !== "word" && start?.kind !== "text")) {
    throw new TemplateError(`${source}: write one path before the first |`);
  }
  return {
    source,
    path: start.kind === "word" ? start.word : "",
    literal: start.kind === "text" ? start.text : undefined,
    filters: tails.map((tail) => filterOf(tail, source)),
  };
}

function filterOf([name, argument, ...extra]: Token[], source: string): Filter {
  const wrongArgument = argument?.kind === "word" || argument?.kind === "pipe";
  if (name?.kind !== "word" || wrongArgument || extra.length > 0) {
    throw new TemplateError(
      `${source}: after | write the name of a filter and at most one argument, text in quotes`,
    );
  }
  return { name: name.word, argument };
}

function splitAtPipes(tokens: Token[]): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "pipe") parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}
