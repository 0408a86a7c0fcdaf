import { errorMessage } from "../../contract/errors.ts";
import { agentChecks } from "./agent-checks.ts";
import type { Check, Finding, Ground } from "./check.ts";
import { configurationChecks } from "./configuration-checks.ts";
import { installationChecks } from "./installation-checks.ts";
import { leakChecks } from "./leak-checks.ts";
import { protectionChecks } from "./protection-checks.ts";

/** Every check, in the order in which people read them. */
export const checks: readonly Check[] = [
  ...installationChecks,
  ...configurationChecks,
  ...protectionChecks,
  ...agentChecks,
  ...leakChecks,
];

export interface Row extends Omit<Finding, "status"> {
  readonly check: string;
  /** `fixed`: it was a problem, and is gone. */
  readonly status: Finding["status"] | "fixed";
}

/** Runs every check, and with `fix` removes the leaks found. A check that fails is a row like any other. */
export async function* examine(
  ground: Ground,
  options: { fix: boolean; checks?: readonly Check[] },
): AsyncGenerator<Row> {
  for (const check of options.checks ?? checks) {
    const found = await findings(check, ground);
    const after = options.fix ? await fixLeaks(check, found, ground) : found;
    for (const finding of after) yield { check: check.name, ...finding };
  }
}

async function findings(check: Check, ground: Ground): Promise<Finding[]> {
  try {
    return await check.look(ground);
  } catch (error) {
    const remedy = "Correct that, then run 'retinue doctor' again.";
    return [{ status: "problem", what: `cannot be checked: ${errorMessage(error)}`, remedy }];
  }
}

/** A leak counts as fixed when a second look does not find it any more. */
async function fixLeaks(
  check: Check,
  found: readonly Finding[],
  ground: Ground,
): Promise<readonly Omit<Row, "check">[]> {
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
