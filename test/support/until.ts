import { existsSync } from "node:fs";
import { vi } from "vitest";

/**
 * Resolves with the result of the check, once it neither throws nor returns false. The limit only ends a test that would
 * wait for ever: it is far beyond what a busy machine needs.
 */
export function until<Result>(
  check: () => Result | Promise<Result>,
  { intervalMs = 10 }: { intervalMs?: number } = {},
): Promise<Result> {
  const held = async (): Promise<Result> => {
    const result = await check();
    if (result === false) throw new Error(`It never held: ${String(check)}`);
    return result;
  };
  return vi.waitFor(held, { timeout: 120_000, interval: intervalMs });
}

/** Resolves when the file exists. */
export async function untilExists(path: string): Promise<void> {
  await until(() => existsSync(path));
}
