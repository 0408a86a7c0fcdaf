import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import type { Diagnostic } from "../../contract/diagnostic.ts";

/** Diagnostics in the format of code scanners, SARIF 2.1.0. */
export function sarif(diagnostics: readonly Diagnostic[], version: string): object {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].toSorted();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "retinue",
            version,
            rules: codes.map((id) => ({ id, shortDescription: { text: meanings[id] } })),
          },
        },
        results: diagnostics.map(({ code, severity, message, file, line, column }) => ({
          ruleId: code,
          ruleIndex: codes.indexOf(code),
          level: levels[severity],
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: addressOf(file) },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
        })),
      },
    ],
  };
}

/** The URI of a file. A definition from an option has no file: its label is encoded. */
function addressOf(file: string): string {
  return isAbsolute(file) ? pathToFileURL(file).href : encodeURI(file);
}

const levels = { error: "error", warning: "warning", info: "note" } as const;

const meanings: Readonly<Record<Diagnostic["code"], string>> = {
  unreadable: "The file cannot be read or is not in its format.",
  missing: "Something that must be there is missing.",
  invalid: "A value is not valid.",
  unknown: "A name is unknown.",
  unsupported: "Valid, but not supported by this version.",
  inert: "Suppressed by a policy or by missing trust.",
  shadowed: "Another file of the same name wins.",
  repaired: "Read in a way that its author may not expect.",
};
