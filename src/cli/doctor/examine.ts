import { errorMessage } from "../../contract/errors.ts";
import { agentChecks } from "./agent-checks.ts";
import type { DoctorCheck, DoctorFinding, DoctorContext } from "./check.ts";
import { configurationChecks } from "./configuration-checks.ts";
import { installationChecks } from "./installation-checks.ts";
import { leakChecks } from "./leak-checks.ts";
import { protectionChecks } from "./protection-checks.ts";

/** Every check, in the order in which people read them. */
export const checks: readonly DoctorCheck[] = [
  ...installationChecks,
  ...configurationChecks,
  ...protectionChecks,
  ...agentChecks,
  ...leakChecks,
];

export interface DoctorRow extends Omit<DoctorFinding, "status"> {
  readonly check: string;
  /** `fixed`: it was a problem, and is gone. */
  readonly status: DoctorFinding["status"] | "fixed";
}

/** Runs every check, and with `fix` removes the leaks found. A check that fails is a row like any other. */
export async function* examine(
  ground: DoctorContext,
  options: { fix: boolean; checks?: readonly DoctorCheck[] },
): AsyncGenerator<DoctorRow> {
  for (const check of options.checks ?? checks) {
    const found = await findings(check, ground);
    const after = options.fix ? await fixLeaks(check, found, ground) : found;
    for (const finding of after) yield { check: check.name, ...finding };
  }
}

async function findings(check: DoctorCheck, ground: DoctorContext): Promise<DoctorFinding[]> {
  try {
    return await check.look(ground);
  } catch (error) {
    const remedy = "Correct that, then run 'retinue doctor' again.";
    return [{ status: "problem", what: `cannot be checked: ${errorMessage(error)}`, remedy }];
  }
}

/** A leak counts as fixed when a second look does not find it any more. */
async function fixLeaks(
  check: DoctorCheck,
  found: readonly DoctorFinding[],
  ground: DoctorContext,
): Promise<readonly Omit<DoctorRow, "check">[]> {
  if (check.fix === undefined || found.every(({ leak }) => leak === undefined)) return found;
  const failures = new Map<string, string>();
  for (const { leak } of found) {
    if (leak === undefined) continue;
    await check
      .fix(leak, ground)
      .catch((error: unknown) => failures.set(leak, ` ${errorMessage(error)}`));
  }
  const left = new Set((await findings(check, ground)).map(({ leak }) => leak));
  return found.map(({ remedy, ...finding }) => {
    const { leak } = finding;
    if (leak === undefined) return { ...finding, ...(remedy === undefined ? {} : { remedy }) };
    if (!left.has(leak)) return { ...finding, status: "fixed" };
    return { ...finding, remedy: `It could not be removed.${failures.get(leak) ?? ""}` };
  });
}
