import type { ArithmeticExpression, Word } from "unbash";

/**
 * Whether arithmetic is about numbers alone. Bash takes the value of a variable for an expression again, whose subscripts
 * run substitutions: `x='a[$(id)]'; echo $((x))` runs `id`. So a name in it is code, not data.
 */
export function isPlainArithmetic(expression: ArithmeticExpression | undefined): boolean {
  if (expression === undefined) return false;
  switch (expression.type) {
    case "ArithmeticBinary":
      return isPlainArithmetic(expression.left) && isPlainArithmetic(expression.right);
    case "ArithmeticUnary":
      return isPlainArithmetic(expression.operand);
    case "ArithmeticTernary":
      return [expression.test, expression.consequent, expression.alternate].every(
        isPlainArithmetic,
      );
    case "ArithmeticGroup":
      return isPlainArithmetic(expression.expression);
    case "ArithmeticWord":
      return expression.parts === undefined && isNumber(expression.value);
    default:
      return false;
  }
}

/** The same for a word that bash takes for an expression: a subscript, the bounds of a slice, a side of `-eq`. */
export function isPlainNumber(word: Word): boolean {
  return word.parts === undefined && isNumber(word.value.trim().replace(/^-/, ""));
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}
