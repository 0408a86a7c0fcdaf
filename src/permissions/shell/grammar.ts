/**
 * Readable shell: a closed subset of bash, small enough that its meaning is certain. docs/permissions.md has its EBNF, and the
 * parser follows it, one method for each rule; a form that it does not know is opaque, never guessed. Only a readable command
 * can be allowed, so a form joins only if every bash from 4.4 on reads it in one way. A grammar is one idea, hence one long file.
 */
import { evaluatedVariable, evaluationIn } from "./evaluation.ts";
import type { Opaque } from "./opaque.ts";
import type { Redirection, Shell, ShellAssignment, SimpleCommand } from "./shell.ts";
import { wordOf, type Piece, type ShellWord } from "./shell-word.ts";

export type ReadShell =
  | { readonly readable: true; readonly shell: Shell }
  | { readonly readable: false; readonly opaque: Opaque };

// A decision is bounded work: whoever writes more than that is asked.
const mostCharacters = 10_000;
const mostCommands = 256;
const mostWords = 1500;
const deepestNesting = 32;

/** Reads a command as readable shell, or names the first place that is opaque. Never throws. */
export function readShell(command: string): ReadShell {
  const reader = new Reader(command);
  try {
    return { readable: true, shell: reader.script() };
  } catch (error) {
    if (error instanceof Unreadable) return { readable: false, opaque: error.opaque };
    throw error;
  }
}

class Unreadable extends Error {
  readonly opaque: Opaque;

  constructor(opaque: Opaque) {
    super(opaque.what);
    this.opaque = opaque;
  }
}

/** Every character that ends a word. */
const wordEnd = String.raw`(?=[ \t\n;&|()<>]|$)`;
const patterns = {
  blanks: /[ \t]+/y,
  comment: /#[^\n]*/y,
  keyword: new RegExp(
    String.raw`(?:if|then|elif|else|fi|for|in|while|until|do|done|case|esac|select|function|coproc|\{|\}|!|\[\[)${wordEnd}`,
    "y",
  ),
  ordinary: /[A-Za-z0-9_./:=@%+,^!-]+/y,
  braces: new RegExp(String.raw`(?:-I)?\{\}${wordEnd}`, "y"),
  bracket: new RegExp(String.raw`\[${wordEnd}`, "y"),
  closingBracket: new RegExp(String.raw`\]${wordEnd}`, "y"),
  home: new RegExp(String.raw`~(?=\/|[ \t\n;&|()<>]|$)`, "y"),
  glob: /[*?]+/y,
  escaped: /\\[\x20-\x7E]/y,
  single: /'[^']*'/y,
  inDouble: /[^"\\$`]+/y,
  backslashes: /\\[\x20-\x7E]/y,
  variable: /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/y,
  status: /\$\?/y,
  name: /[A-Za-z_]\w*/y,
  assignment: /([A-Za-z_]\w*)=/y,
  append: /[A-Za-z_]\w*\+=/y,
  digits: /\d+(?=[<>])/y,
  duplicate: new RegExp(String.raw`(?:2>&1|1?>&2)${wordEnd}`, "y"),
  document: /<<[ \t]*(?:'(\w+)'|"(\w+)")(?=[ \t\n;&|()<>])/y,
  redirection: /(?:2>>|2>|&>>|&>|>>|>|<)(?![<>&|(])/y,
  andOr: /&&|\|\|/y,
  pipe: /\|(?![|&])/y,
  separator: /;(?![;&])|&(?![&>])/y,
} satisfies Record<string, RegExp>;

/** Words that end a list, wherever a command may begin. */
type Terminator = "end" | ")" | "}" | "then" | "else" | "elif" | "fi" | "do" | "done";

class Reader implements Shell {
  readonly commands: SimpleCommand[] = [];
  readonly redirections: Redirection[] = [];
  runsOn = false;
  readonly runningOn: SimpleCommand[] = [];
  readonly documents: string[] = [];
  repeats = false;
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #words = 0;
  /** How many `$( )` are open. */
  #substitutions = 0;
  /** The delimiter of a here-document whose lines follow the next newline. */
  #document: string | null = null;
  /** How many here-documents were read, and how many operators and keywords. */
  #documents = 0;
  #operators = 0;

  constructor(text: string) {
    this.#text = text;
  }

  script(): Shell {
    if (this.#text.length > mostCharacters)
      this.#fail(`a command of more than ${mostCharacters} characters`, "split it");
    if (!this.#text.isWellFormed()) this.#fail("text that is not Unicode", "");
    const control = /[^\P{Cc}\t\n]/u.exec(this.#text);
    if (control !== null) {
      this.#at = control.index;
      this.#fail("a control character", "leave it out");
    }
    this.#list(["end"]);
    const { commands, redirections, documents, repeats, runsOn, runningOn } = this;
    return { commands, redirections, documents, repeats, runsOn, runningOn };
  }

  // list = andOr { separator andOr } [ separator ]

  /** Reads up to one of the terminators, which it takes, and returns it. */
  #list(terminators: readonly Terminator[]): Terminator {
    this.#depth += 1;
    if (this.#depth > deepestNesting) this.#fail("deep nesting", "split the command");
    let isEmpty = true;
    for (;;) {
      this.#space();
      const found = terminators.find((one) => this.#isAt(one));
      if (found !== undefined) {
        if (isEmpty && found !== "end") this.#fail("an empty list", "");
        if (found !== "end") this.#at += found.length;
        if (found === "end" && this.#document !== null) this.#failDocument();
        this.#depth -= 1;
        return found;
      }
      const first = this.commands.length;
      this.#andOr();
      isEmpty = false;
      this.#blanks();
      if (this.#next === "&") {
        this.runsOn = true;
        this.runningOn.push(...this.commands.slice(first));
      }
      if (this.#operator(patterns.separator) || this.#newline()) continue;
      // Only these may follow a command without a separator.
      if ((this.#next === ")" && terminators.includes(")")) || this.#next === "") continue;
      this.#failHere();
    }
  }

  #isAt(terminator: Terminator): boolean {
    if (terminator === "end") return this.#at === this.#text.length;
    if (terminator === ")") return this.#next === ")";
    return this.#peek(patterns.keyword) === terminator;
  }

  // andOr = pipeline { ( "&&" | "||" ) { newline } pipeline }

  #andOr(): void {
    do {
      this.#space();
      this.#pipeline();
      this.#blanks();
    } while (this.#operator(patterns.andOr));
  }

  // pipeline = [ "!" ] command { "|" { newline } command }

  #pipeline(): void {
    if (this.#peek(patterns.keyword) === "!") {
      this.#at += 1;
      this.#operators += 1;
      this.#blanks();
    }
    let first = this.commands.length;
    this.#command();
    this.#blanks();
    while (this.#operator(patterns.pipe)) {
      this.#outputGoesOn(first);
      first = this.commands.length;
      this.#space();
      this.#command();
      this.#blanks();
    }
  }

  // command = simple | ( group | subshell | if | for | while ) { redirection }

  #command(): void {
    const first = this.commands.length;
    if (this.#next === "(") {
      if (this.#text.startsWith("((", this.#at)) this.#fail("((…))", "arithmetic is not readable");
      this.#at += 1;
      this.#operators += 1;
      this.#list([")"]);
      return this.#redirections(first);
    }
    const keyword = this.#peek(patterns.keyword);
    if (keyword === null) return this.#simple();
    this.#operators += 1;
    switch (keyword) {
      case "{":
        this.#at += 1;
        this.#list(["}"]);
        break;
      case "if":
        this.#if();
        break;
      case "for":
        this.#for();
        break;
      case "while":
        this.repeats = true;
        this.#at += keyword.length;
        this.#list(["do"]);
        this.#list(["done"]);
        break;
      default:
        this.#fail(`\`${keyword}\``, keywordRemedies[keyword] ?? "quote it, or write it elsewhere");
    }
    this.#redirections(first);
  }

  #if(): void {
    let clause: Terminator = "elif";
    this.#at += "if".length;
    while (clause === "elif") {
      this.#list(["then"]);
      clause = this.#list(["elif", "else", "fi"]);
    }
    if (clause === "else") this.#list(["fi"]);
  }

  // for = "for" name "in" { word } separator "do" list "done"

  #for(): void {
    this.repeats = true;
    this.#at += "for".length;
    this.#blanks();
    const name = this.#take(patterns.name) ?? this.#fail("`for` without a name", "");
    if (evaluatedVariable.test(name)) this.#fail(`\`for ${name}\``, "take another name");
    this.#blanks();
    if (this.#peek(patterns.keyword) !== "in") this.#fail("`for` without `in`", "name the words");
    this.#at += "in".length;
    const assignments: ShellAssignment[] = [];
    for (;;) {
      this.#blanks();
      const value = this.#word();
      if (value === null) break;
      assignments.push({ name, value });
      this.#countWord();
    }
    if (this.#next === ";") this.#at += 1;
    else if (!this.#newline()) this.#failHere();
    this.#space();
    if (this.#peek(patterns.keyword) !== "do") this.#failHere();
    this.#at += "do".length;
    if (assignments.length === 0) assignments.push({ name, value: null });
    this.commands.push({ words: [], assignments });
    this.#list(["done"]);
  }

  /** Those of a compound command, which begins at this simple one. */
  #redirections(first: number): void {
    const before = this.redirections.length;
    do this.#blanks();
    while (this.#redirection());
    if (this.#writesSince(before)) this.#outputGoesOn(first);
  }

  #writesSince(redirection: number): boolean {
    return this.redirections
      .slice(redirection)
      .some(({ effect, target }) => effect === "write" && target.text !== "/dev/null");
  }

  /** Marks the simple commands from this one on. */
  #outputGoesOn(first: number): void {
    for (const [at, command] of this.commands.entries())
      if (at >= first) this.commands[at] = { ...command, outputGoesOn: true };
  }

  // simple = { assignment | redirection } [ word { word | redirection } ]

  #simple(): void {
    const start = this.#at;
    const before = this.redirections.length;
    const assignments: ShellAssignment[] = [];
    const words: ShellWord[] = [];
    const starts: number[] = [];
    for (;;) {
      this.#blanks();
      if (this.#redirection()) continue;
      const assignment = words.length === 0 ? this.#assignment() : null;
      if (assignment !== null) {
        assignments.push(assignment);
        this.#countWord();
        continue;
      }
      const at = this.#at;
      const keyword = words.length === 0 ? this.#peek(patterns.keyword) : null;
      if (keyword !== null) this.#fail(`\`${keyword}\` as a program`, "");
      const word = this.#word({ isTest: words[0]?.text === "[", isFirst: words.length === 0 });
      if (word === null) break;
      if (words.length === 0 && !word.isStatic) {
        this.#at = at;
        this.#fail(`\`${word.text}\` as a program`, "name the program");
      }
      words.push(word);
      starts.push(at);
      this.#countWord();
    }
    if (this.#at === start) this.#failHere();
    const evaluation = evaluationIn(words);
    if (evaluation !== null) {
      this.#at = starts[evaluation.at] ?? start;
      this.#fail(evaluation.what, evaluation.remedy);
    }
    const goesOn = this.#substitutions > 0 || this.#writesSince(before);
    if (words.length > 0 || assignments.length > 0)
      this.commands.push({ words, assignments, ...(goesOn ? { outputGoesOn: true } : {}) });
    if (this.commands.length > mostCommands)
      this.#fail(`more than ${mostCommands} commands`, "split it");
  }

  #countWord(): void {
    this.#words += 1;
    if (this.#words > mostWords) this.#fail(`more than ${mostWords} words`, "split it");
  }

  // assignment = name "=" [ word ]

  #assignment(): ShellAssignment | null {
    if (this.#peek(patterns.append) !== null) this.#fail("`+=`", "write the whole value");
    const [, name] = this.#match(patterns.assignment) ?? [];
    if (name === undefined) return null;
    if (evaluatedVariable.test(name)) this.#fail(`\`${name}=\``, "bash evaluates it");
    this.#at += name.length + 1;
    if (this.#next === "~") this.#fail("`~` in an assignment", "write the path");
    const start = this.#at;
    // No file name is looked up for a value.
    const pieces = this.#pieces().map((piece) =>
      piece.kind === "glob" ? ({ kind: "text", text: piece.text } as const) : piece,
    );
    return { name, value: wordOf(pieces, this.#text.slice(start, this.#at)) };
  }

  // redirection = ( "<" | ">" | ">>" | "2>" | "2>>" | "&>" | "&>>" ) word | "2>&1" | ">&2" | "1>&2" | "<<" quoted name

  /** Takes one if there is one. */
  #redirection(): boolean {
    if (this.#document === null && this.#hereDocument()) return true;
    const duplicate = this.#take(patterns.duplicate);
    if (duplicate !== null) {
      const target = wordOf([{ kind: "text", text: duplicate.slice(-1) }], duplicate.slice(-1));
      const operator = duplicate.slice(0, -1);
      this.redirections.push({ operator, target, effect: "descriptor" });
      return true;
    }
    const operator = this.#take(patterns.redirection);
    if (operator === null) {
      const isOther = /[<>]/.test(this.#next) || this.#peek(patterns.digits) !== null;
      if (isOther) this.#failRedirection();
      return false;
    }
    this.#blanks();
    const at = this.#at;
    const target = this.#word() ?? this.#failHere();
    if (!target.isStatic) {
      this.#at = at;
      this.#fail(`\`${target.text}\` as the file of a redirection`, "name the file");
    }
    const effect = operator === "<" ? "read" : "write";
    this.redirections.push({ operator, target, effect });
    if (this.redirections.length > mostCommands)
      this.#fail(`more than ${mostCommands} redirections`, "split it");
    return true;
  }

  #hereDocument(): boolean {
    const [whole, single, double] = this.#match(patterns.document) ?? [];
    const delimiter = single ?? double;
    if (whole === undefined || delimiter === undefined) return false;
    if (this.#substitutions > 1) this.#fail("a here-document in `$( )` in `$( )`", alone);
    this.#at += whole.length;
    this.#document = delimiter;
    this.#documents += 1;
    return true;
  }

  /** The lines of a here-document, behind the newline that starts them. */
  #documentLines(delimiter: string): void {
    const start = this.#at;
    for (;;) {
      const end = this.#text.indexOf("\n", this.#at);
      const line = this.#text.slice(this.#at, end === -1 ? this.#text.length : end);
      if (line === delimiter) {
        this.documents.push(this.#text.slice(start, this.#at));
        this.#at += line.length;
        return;
      }
      // In a substitution some versions of bash end the document there.
      if (line.startsWith(delimiter)) this.#failDocument();
      if (end === -1) this.#failDocument();
      this.#at = end + 1;
    }
  }

  // word = { ordinary | escaped | '…' | "…" | $name | ${name} | $? | $( list ) | * | ? }

  #word({ isTest = false, isFirst = false } = {}): ShellWord | null {
    const start = this.#at;
    const pieces: Piece[] = [];
    if (this.#peek(patterns.digits) !== null) this.#failRedirection();
    if (this.#take(patterns.home) !== null) pieces.push({ kind: "home" });
    const text =
      (isFirst ? this.#take(patterns.bracket) : this.#take(patterns.braces)) ??
      (isTest ? this.#take(patterns.closingBracket) : null);
    if (text !== null) return wordOf([...pieces, { kind: "text", text }], text);
    pieces.push(...this.#pieces());
    return this.#at === start ? null : wordOf(pieces, this.#text.slice(start, this.#at));
  }

  #pieces(): Piece[] {
    const pieces: Piece[] = [];
    for (;;) {
      const { length } = pieces;
      this.#piece(pieces);
      if (pieces.length === length) break;
    }
    // A character that cannot stand in a word must end it.
    if (!/^[ \t\n;&|)<>]?$/.test(this.#next)) this.#failHere();
    return pieces;
  }

  #piece(pieces: Piece[]): void {
    const ordinary = this.#take(patterns.ordinary);
    if (ordinary !== null) pieces.push({ kind: "text", text: ordinary });
    const glob = this.#take(patterns.glob);
    if (glob !== null) pieces.push({ kind: "glob", text: glob });
    const escaped = this.#take(patterns.escaped);
    if (escaped !== null) pieces.push({ kind: "text", text: escaped.slice(1) });
    // Bash 5.2 prints a substitution and reads that text again; behind this it loses a separator.
    if (escaped === String.raw`\&` && this.#substitutions > 0)
      this.#fail(String.raw`\`\\&\` in \`$( )\``, "write '&'");
    const single = this.#take(patterns.single);
    if (single !== null) {
      if (this.#document !== null && single.includes("\n")) this.#failDocument();
      pieces.push({ kind: "text", text: single.slice(1, -1) });
    }
    if (this.#next === '"') this.#double(pieces);
    if (this.#next === "$") this.#dollar(pieces, { quoted: false });
    if (this.#next === "~" && /[\w./@%+,^-]/.test(this.#text[this.#at - 1] ?? "")) {
      // After `=` and `:` bash may take it for the home directory.
      this.#at += 1;
      pieces.push({ kind: "text", text: "~" });
    }
  }

  #double(pieces: Piece[]): void {
    const start = this.#at;
    this.#at += 1;
    // Quotes alone are a word too.
    pieces.push({ kind: "text", text: "" });
    while (this.#next !== '"') {
      const text = this.#take(patterns.inDouble);
      if (text !== null) {
        if (this.#document !== null && text.includes("\n")) this.#failDocument();
        pieces.push({ kind: "text", text });
      } else if (this.#next === "\\") pieces.push({ kind: "text", text: this.#backslash() });
      else if (this.#next === "$") this.#dollar(pieces, { quoted: true });
      else if (this.#next === "") {
        this.#at = start;
        this.#fail("a quote that is not closed", "close it");
      } else this.#failHere();
    }
    this.#at += 1;
  }

  /** A backslash in double quotes escapes four characters, and is one itself before all others. */
  #backslash(): string {
    const before = this.#text[this.#at - 1] ?? "";
    // In some encodings the character before it would swallow it.
    if (!/[\0-\x7F]/.test(before)) this.#fail("`\\` behind a letter that is not ASCII", inSingles);
    const pair = this.#take(patterns.backslashes) ?? this.#failHere();
    return /["\\$`]/.test(pair[1] ?? "") ? pair.slice(1) : pair;
  }

  #dollar(pieces: Piece[], { quoted }: { quoted: boolean }): void {
    const [whole, bare, braced] = this.#match(patterns.variable) ?? [];
    if (whole !== undefined) {
      this.#at += whole.length;
      pieces.push({ kind: "open", name: bare ?? braced ?? null, quoted });
      return;
    }
    // The status of a command is one number, with quotes or without.
    if (this.#take(patterns.status) !== null) {
      pieces.push({ kind: "open", name: "?", quoted: true });
      return;
    }
    if (!this.#text.startsWith("$(", this.#at) || this.#text.startsWith("$((", this.#at))
      this.#failHere();
    const start = this.#at;
    this.#at += 2;
    const pending = this.#document;
    const before = this.#counts();
    this.#document = null;
    this.#substitutions += 1;
    this.#list([")"]);
    if (this.#document !== null) this.#failDocument();
    this.#substitutions -= 1;
    this.#document = pending;
    const { documents, others } = this.#counts();
    // Bash 5.2 prints a substitution and reads that text again; behind a here-document it loses separators.
    if (documents > before.documents && others > before.others + 1) {
      this.#at = start;
      this.#fail("a here-document beside other commands in `$( )`", alone);
    }
    if (pending !== null && this.#text.slice(start, this.#at).includes("\n")) this.#failDocument();
    const text = documents > before.documents ? this.#shownDocument() : {};
    pieces.push({ kind: "open", name: null, quoted, ...text });
  }

  /** The output of `cat` alone, which has just read a here-document. */
  #shownDocument(): { text?: string } {
    const { words = [], assignments = [] } = this.commands.at(-1) ?? {};
    const isShown = words.length === 1 && words[0]?.text === "cat" && assignments.length === 0;
    const [document] = this.documents.slice(-1);
    return isShown && document !== undefined ? { text: document.replace(/\n+$/, "") } : {};
  }

  #counts(): { documents: number; others: number } {
    const { commands, redirections } = this;
    const others = commands.length + redirections.length + this.#operators;
    return { documents: this.#documents, others };
  }

  #operator(pattern: RegExp): boolean {
    if (this.#take(pattern) === null) return false;
    this.#operators += 1;
    return true;
  }

  // Blanks, newlines and comments.

  #blanks(): void {
    this.#take(patterns.blanks);
    if (this.#next !== "#") return;
    const before = this.#text[this.#at - 1] ?? "\n";
    if (!/[\s;&|()]/.test(before)) return;
    if (this.#substitutions > 0) this.#fail("a comment in `$( )`", "leave it out");
    this.#take(patterns.comment);
  }

  /** Blanks, comments and newlines, wherever a command may begin. */
  #space(): void {
    do this.#blanks();
    while (this.#newline());
  }

  /** Takes a newline if there is one, and the here-document that starts behind it. */
  #newline(): boolean {
    if (this.#next !== "\n") return false;
    this.#at += 1;
    const delimiter = this.#document;
    this.#document = null;
    if (delimiter !== null) this.#documentLines(delimiter);
    return true;
  }

  // The text.

  get #next(): string {
    return this.#text[this.#at] ?? "";
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #peek(pattern: RegExp): string | null {
    return this.#match(pattern)?.[0] ?? null;
  }

  #take(pattern: RegExp): string | null {
    const taken = this.#peek(pattern);
    this.#at += taken?.length ?? 0;
    return taken;
  }

  #position(): { line: number; column: number } {
    const before = this.#text.slice(0, this.#at);
    return { line: before.split("\n").length, column: this.#at - before.lastIndexOf("\n") };
  }

  #failHere(): never {
    const rest = this.#text.slice(this.#at);
    const form = forms.find(({ pattern }) => pattern.test(rest));
    if (rest === "") this.#fail("the end of the command", "complete it");
    this.#fail(form?.what ?? `\`${rest.slice(0, 1)}\``, form?.remedy ?? "quote it");
  }

  #failRedirection(): never {
    const operator = /^\d*[<>&|(-]+/.exec(this.#text.slice(this.#at))?.[0] ?? "";
    const remedy = operatorRemedies.find(([begin]) => operator.startsWith(begin))?.[1];
    this.#fail(`\`${operator}\``, remedy ?? redirectionRemedy);
  }

  #failDocument(): never {
    this.#fail("a here-document", "end its line behind <<'EOF', and its text with a line EOF");
  }

  #fail(what: string, remedy: string): never {
    throw new Unreadable({ what, remedy, ...this.#position() });
  }
}

const alone = "let it be the only command there: $(cat <<'EOF' …)";
const keywordRemedies: Readonly<Record<string, string>> = {
  "[[": "use [ … ]",
  until: "use while ! …",
  case: "use if … elif …",
  select: "name the choice",
  function: "write its commands out",
  coproc: "use & or a pipe",
};
const inSingles = "write the text in '…'";
const operatorRemedies: readonly (readonly [string, string])[] = [
  ["<<-", "leave the - out"],
  ["<<<", "pipe the text in: echo '…' | …"],
  ["<<", "put quotes around the delimiter: <<'EOF'"],
  ["<(", "pipe the output in, or write it to a file"],
  [">(", "use a pipe"],
];
const redirectionRemedy = "use <, >, >>, 2>, 2>>, &>, &>>, 2>&1 or >&2 with one file name";

/** Forms of bash that people write, what they are called, and what to write instead. */
const forms: readonly { pattern: RegExp; what: string; remedy: string }[] = [
  { pattern: /^\$'/, what: "`$'…'`", remedy: inSingles },
  { pattern: /^\$"/, what: '`$"…"`', remedy: "leave the $ out" },
  { pattern: /^\$\(\(/, what: "`$((…))`", remedy: "write the number" },
  {
    pattern: /^\$\{/,
    what: "`${…}` with more than a name",
    remedy: "write ${name}, and choose with if [ … ]",
  },
  { pattern: /^\$/, what: "`$` without a name", remedy: inSingles },
  { pattern: /^`/, what: "a backtick", remedy: `write "$( … )", or the text in '…'` },
  { pattern: /^\\\n/, what: "a line continuation", remedy: "write it on one line" },
  { pattern: /^\\/, what: "`\\`", remedy: inSingles },
  { pattern: /^'/, what: "a quote that is not closed", remedy: "close it" },
  { pattern: /^\(\)/, what: "a function", remedy: "write its commands out" },
  { pattern: /^\(/, what: "`(` in a word", remedy: "quote it; arrays are not readable" },
  { pattern: /^[{}]/, what: "a brace in a word", remedy: "write the words out, or quote them" },
  {
    pattern: /^[[\]]/,
    what: "a bracket in a word",
    remedy: "use * or ?, or quote it if it is meant",
  },
  { pattern: /^#/, what: "`#` in a word", remedy: "quote it" },
  { pattern: /^~/, what: "`~` with a name, or behind `=` or `:`", remedy: "write the path" },
  { pattern: /^\|&/, what: "`|&`", remedy: "write 2>&1 |" },
  { pattern: /^;;/, what: "`;;`", remedy: "" },
  { pattern: /^[^\0-\x7F]/, what: "a letter that is not ASCII", remedy: "quote it" },
];
