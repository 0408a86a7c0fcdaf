import type { Diagnostic } from "../diagnostic.ts";
import { plain } from "./sanitize.ts";

/** To stderr, one line each; what loses nothing is not worth one. */
export function reportDiagnostics(diagnostics: readonly Diagnostic[]): void {
  for (const { severity, file, line, message } of diagnostics) {
    if (severity === "info") continue;
    process.stderr.write(`${severity}: ${plain(file)}:${line}: ${plain(message)}\n`);
  }
}
