import type { Command } from "commander";
import { runPermissionCases, type CaseReport } from "../../testing/permission-cases/run-cases.ts";
import type { JudgedCase } from "../../testing/permission-cases/judge-case.ts";
import { decisionData, decisionRows } from "../views/decision-lines.ts";
import { exitCodeOfSignal, exitCodes } from "../exit-codes.ts";
import { labelledLines, type Labelled } from "../views/labelled-lines.ts";
import { literalLine } from "../terminal/literal.ts";
import { fit } from "../terminal/width.ts";
import { json } from "../options/shared-options.ts";

const width = 100;

export function addPermissions(program: Command): void {
  const permissions = program.command("permissions").description("permission rules: test them");
  permissions
    .command("test")
    .description(
      "compare the decision for each case with the expected one; exit code 1 if one differs",
    )
    .argument("<file>", "JSON file: a list of cases, or {settings, cases}")
    .option("--json", json)
    .addHelpText(
      "after",
      `
A case is {"id", "tool", "input", "expect": "allow"|"ask"|"deny"} and, where needed, "why", "mode",
"rules": {"allow", "ask", "deny"}, "cwd", "additionalDirectories", "background", "fixture": [{"path",
"type": "file"|"dir"|"symlink", "content", "target"}]. {{P}}, {{H}} and {{O}} stand for a project, a
home directory and a directory outside both, made for each case. No call of a case is run.

To test your own policy: {"settings": ".claude/settings.json", "cases": […]} applies its rules to
every case. See docs/permissions.md.`,
    )
    .action(permissionsTestCommand);
}

/** `retinue permissions test`: compares decisions with the expectations in a file of cases. Runs none of the calls. */
async function permissionsTestCommand(file: string, options: { json?: boolean }): Promise<void> {
  const interrupted = new AbortController();
  const stop = (signal: NodeJS.Signals): void => interrupted.abort(signal);
  for (const signal of signals) process.once(signal, stop);
  try {
    const report = await runPermissionCases(file, { signal: interrupted.signal });
    process.stdout.write(options.json === true ? document(report) : `${text(report)}\n`);
    if (report.mismatches.length > 0) process.exitCode = exitCodes.failed;
  } catch (error) {
    if (error !== interrupted.signal.reason) throw error;
    process.exitCode = exitCodeOfSignal(interrupted.signal.reason as NodeJS.Signals);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function text({ cases, mismatches }: CaseReport): string {
  const count = (number: number, one: string, many: string): string =>
    `${number} ${number === 1 ? one : many}`;
  const all = `${count(cases, "case", "cases")}, ${count(mismatches.length, "mismatch", "mismatches")}`;
  return [...mismatches.flatMap((one) => [...mismatchLines(one), ""]), all].join("\n");
}

function mismatchLines(judged: JudgedCase): string[] {
  const { id, why, expected, decision } = judged;
  const rows: Labelled[] = [["why", why === "" ? [] : [literalLine(why)]], ...decisionRows(judged)];
  return [
    fit(literalLine(`${id}: expected ${expected}, got ${decision.verdict}`), width),
    ...labelledLines(rows, width - 2).map((line) => `  ${line}`),
  ];
}

function document({ file, cases, mismatches }: CaseReport): string {
  const told = mismatches.map((judged) => {
    const { id, why, expected, decision } = judged;
    return { id, why, expected, got: decision.verdict, ...decisionData(judged) };
  });
  return `${JSON.stringify({ file, cases, mismatches: told }, null, 2)}\n`;
}
