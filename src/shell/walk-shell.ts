import type {
  Assignment,
  Command,
  ParameterExpansionPart,
  ParsedScript,
  Redirect,
  SyntaxNode,
  TestBinaryExpression,
  TestUnaryExpression,
  Word,
} from "unbash";
import { isPlainArithmetic, isPlainNumber } from "./arithmetic.ts";
import { isOwnName } from "./own-name.ts";
import { shellParser } from "./parser.ts";
import type { Redirection, Shell, SimpleCommand } from "./shell.ts";
import { literalWord, shellWord, unknownWords, type ShellWord } from "./shell-word.ts";

/** Collects what a parsed command could do. Throws `Unreadable` where the parser was not sure. */
export function walkShell(script: ParsedScript): Shell {
  const walk = new Walk();
  walk.visit(script);
  return walk;
}

/** Part of a command cannot be read for certain. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

class Walk implements Shell {
  readonly commands: SimpleCommand[] = [];
  readonly redirections: Redirection[] = [];
  readonly opaque: string[] = [];
  hidesCode = false;
  repeats = false;
  /** Functions that are defined for certain from here on. */
  readonly #functions = new Set<string>();
  #depth = 0;
  readonly #parser = shellParser();

  /** Everything is visited; what is not known to be harmless here is noted. */
  visit(node: SyntaxNode): void {
    switch (node.type) {
      case "Script":
        return this.#script(node);
      case "Command":
        this.#command(node);
        break;
      case "Redirect":
        this.#redirect(node);
        break;
      case "Assignment":
        this.#assignment(node);
        break;
      case "ParameterExpansion":
        if (!isPlainExpansion(node)) this.opaque.push(node.text);
        break;
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        if (node.script === undefined) throw new Unreadable(node.text);
        break;
      case "ArithmeticExpansion":
        if (!isPlainArithmetic(node.expression)) this.opaque.push(node.text);
        break;
      case "ArithmeticCommand":
        if (!isPlainArithmetic(node.expression)) this.opaque.push(`((${node.body}))`);
        break;
      case "For":
      case "Select":
        this.repeats = true;
        this.#sets(node.name.value);
        break;
      case "While":
      case "Function":
        this.repeats = true;
        break;
      case "Coproc":
        if (node.name !== undefined) this.#sets(node.name.value);
        break;
      case "ArithmeticFor":
        this.opaque.push("for ((…))");
        break;
      case "TestBinary":
      case "TestUnary":
        if (!isPlainTest(node)) this.opaque.push(`[[ ${node.operator} ]]`);
        break;
      case "ExtendedGlob":
        // Whether bash knows these depends on an option, and so does where the word ends.
        this.opaque.push(node.text);
        break;
      case "FileDescriptorVariable":
        if (isName(node.name)) this.#sets(node.name);
        else this.opaque.push(`{${node.name}}`);
        break;
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        if (looksLikeCode(node.value)) this.hidesCode = true;
        break;
      case "Word":
        if (node.parts === undefined && looksLikeCode(node.value)) this.hidesCode = true;
        break;
      default:
        break;
    }
    this.#inside(node);
  }

  #inside(node: SyntaxNode): void {
    this.#depth += 1;
    this.#parser.forEachChild(node, (child) => this.visit(child));
    this.#depth -= 1;
  }

  #script(script: ParsedScript): void {
    if ((script.errors?.length ?? 0) > 0) throw new Unreadable(script.errors?.[0]?.message);
    const isWhole = this.#depth === 0;
    for (const statement of script.commands) {
      this.#depth += 1;
      this.visit(statement);
      this.#depth -= 1;
      const { command, background } = statement;
      const isDefined = isWhole && command.type === "Function" && background !== true;
      // Bash refuses a quoted or escaped name, and then runs the program of that name.
      if (isDefined && isPlainName(command.name)) this.#functions.add(command.name.value);
    }
  }

  #command({ name, args, prefix }: Command): void {
    const words = [...(name === undefined ? [] : [name]), ...args].map((word) =>
      word.type === "Word" ? shellWord(word) : assignedWord(word),
    );
    const assignments = prefix
      .filter((one) => one.type === "Assignment")
      .map((one) => ({
        name: one.name,
        value: one.value.type === "Word" && one.index === undefined ? shellWord(one.value) : null,
        appends: one.append === true,
      }));
    const [first] = words;
    const callsFunction = first?.isStatic === true && this.#functions.has(first.text);
    if (words.length > 0 || assignments.length > 0)
      this.commands.push({ words, assignments, callsFunction });
  }

  /** Syntax that sets a variable: the same as an assignment. */
  #sets(name: string): void {
    const assignments = [{ name, value: null, appends: false }];
    this.commands.push({ words: [], assignments, callsFunction: false });
  }

  #redirect({ operator, target }: Redirect): void {
    if (target === undefined) throw new Unreadable(operator);
    const word = shellWord(target);
    this.redirections.push({ operator, target: word, effect: effectOf(operator, word.text) });
  }

  #assignment({ text, index, value }: Assignment): void {
    const hasIndex = index !== undefined && !isPlainNumber(index);
    const hasIndexes =
      value.type === "ArrayValue" && value.elements.some((element) => element.text.startsWith("["));
    if (hasIndex || hasIndexes) this.opaque.push(text);
  }
}

function isPlainName({ text, value, parts }: Word): boolean {
  return parts === undefined && text === value;
}

/** An argument such as `x=1` of `declare`: a word all the same, and known only if it is all plain. */
function assignedWord({ value, text }: Assignment): ShellWord {
  const isPlain = value.type === "Word" && value.parts === undefined && !/["'\\$`~]/.test(text);
  return isPlain ? literalWord(text) : { ...unknownWords, text };
}

function effectOf(operator: Redirect["operator"], target: string): Redirection["effect"] {
  if (operator === "<") return "read";
  if (operator === "<&" || operator === ">&") {
    return /^(?:\d+-?|-)$/.test(target) ? "descriptor" : "write";
  }
  return "write";
}

/** Expansions that only put text together. */
function isPlainExpansion({
  prefix,
  index,
  operation,
  parameter,
}: ParameterExpansionPart): boolean {
  if (prefix === "!") return false;
  if (index !== undefined && !/^[@*]$/.test(index.text) && !isPlainNumber(index)) return false;
  switch (operation?.type) {
    case "Slice":
      return (
        isPlainNumber(operation.offset) &&
        (operation.length === undefined || isPlainNumber(operation.length))
      );
    case "Transform":
      return /^[QULuEa]$/.test(operation.operand.text);
    case "Default":
      // Assigns, which matters for variables that programs read.
      return !operation.operator.includes("=") || isOwnName(parameter);
    case "Names":
    case "Unknown":
      return false;
    default:
      return true;
  }
}

const arithmeticTests = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

function isPlainTest(test: TestBinaryExpression | TestUnaryExpression): boolean {
  if (test.type === "TestUnary") {
    const asksForVariable = test.operator === "-v" || test.operator === "-R";
    return !asksForVariable || (test.operand.parts === undefined && isName(test.operand.value));
  }
  if (!arithmeticTests.has(test.operator)) return true;
  return isPlainNumber(test.left) && isPlainNumber(test.right);
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

function looksLikeCode(text: string): boolean {
  return text.includes("$(") || text.includes("`") || text.includes("${");
}
