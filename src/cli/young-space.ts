/**
 * For processes that may run for days, in MiB. V8 lets its space for young objects grow with the memory of the machine, to four
 * times as much where there is plenty; agents gain nothing by that.
 */
export const youngSpace = "--max-semi-space-size=16";

/** The options with which Node runs in the background: ours, unless somebody has set his own. */
export function backgroundOptions(
  given: readonly string[],
  nodeOptions: string | undefined,
): string[] {
  const own = [...given, nodeOptions ?? ""].some((option) => /max[-_]semi[-_]space/.test(option));
  return own ? [...given] : [youngSpace, ...given];
}
