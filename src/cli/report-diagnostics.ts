import type { Diagnostic } from "../contract/diagnostic.ts";
import { plainLine } from "./terminal/sanitize.ts";

const most = 5;

/** Prints the worst few diagnostics to stderr; `lint` has them all. Those without any loss get no line. */
export function reportDiagnostics(diagnostics: readonly Diagnostic[]): void {
  const problems = bySeverity(diagnostics).filter(({ severity }) => severity !== "info");
  for (const problem of problems.slice(0, most))
    process.stderr.write(`${diagnosticLine(problem)}\n`);
  const more = problems.length - most;
  if (more > 0)
    process.stderr.write(`retinue: ${more} more problems; 'retinue lint' lists them.\n`);
}

export function diagnosticLine({ file, line, column, severity, message }: Diagnostic): string {
  return `${plainLine(file)}:${line}:${column}: ${severity}: ${plainLine(message)}`;
}

export function bySeverity(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const order = ["error", "warning", "info"];
  return diagnostics.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}
