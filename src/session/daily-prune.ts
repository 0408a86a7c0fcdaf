import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Configuration } from "./configuration.ts";
import { errorMessage } from "../contract/errors.ts";
import { makePrivateDirectory } from "../platform/files/make-directory.ts";
import { reapOnce } from "../processes/orphans.ts";
import { readSmallFile } from "../platform/files/read-small-file.ts";
import { keptSince, retentionPeriod, unknownPeriod } from "../settings/retention-period.ts";
import type { SessionRuntime } from "./session-runtime.ts";

const day = 86_400_000;
const patienceMs = 3000;

/**
 * Prunes old sessions beside the work of this one: at most once a day for a config directory, never before a model has
 * answered, and without delaying any work. Errors are logged.
 */
export class DailyPrune implements AsyncDisposable {
  readonly #configDir: string;
  readonly #configuration: Configuration;
  readonly #session: SessionRuntime["session"];
  readonly #abort = new AbortController();
  #pruning: Promise<void> | undefined;

  constructor({ surroundings, configuration, session }: SessionRuntime) {
    this.#configDir = surroundings.environment.configDir;
    this.#configuration = configuration;
    this.#session = session;
  }

  /** Starts the prune, once per session, however often it is called. */
  begin(): void {
    this.#pruning ??= this.#afterTheFirstAnswer().catch((error: unknown) =>
      this.#session.logger.warn(
        { error: errorMessage(error) },
        "the search for old sessions failed",
      ),
    );
  }

  /** Waits for the removal of the current session. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#pruning;
  }

  async #afterTheFirstAnswer(): Promise<void> {
    const { signal } = this.#abort;
    const answers = this.#session.bus.subscribe({ types: ["assistant-message"], limit: 1, signal });
    const first = await answers.next();
    await answers.return();
    if (first.done === true) return;
    // A run of a few seconds is not burdened with it.
    await this.#pause(patienceMs);
    if (signal.aborted) return;
    // Orphans of a killed run whose guard could not end them: they may still hold a port or write to the project.
    void reapOnce();
    await this.#run();
  }

  /** Resolves after the time, or when the session closes. */
  #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#abort;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#session.clock.schedule(resolve, milliseconds, { ref: false });
    signal.addEventListener("abort", () => {
      cancel();
      resolve();
    });
    return promise;
  }

  async #run(): Promise<void> {
    const { logger, paths } = this.#session;
    const now = this.#session.clock.now();
    const stamp = join(this.#configDir, "retinue", "last-prune");
    if (!isDue(stamp, now)) return;
    makePrivateDirectory(dirname(stamp));
    writeFileSync(stamp, String(now), { mode: 0o600 });
    const { diagnostics, unreadSettings, ...loaded } = this.#configuration;
    const invalid = diagnostics.filter(({ code }) => code === "invalid");
    const period = retentionPeriod({ ...loaded, diagnostics: [...unreadSettings, ...invalid] });
    if (period.kind === "unknown") {
      logger.warn({ file: period.problem.file }, unknownPeriod(period.problem));
      return;
    }
    const { prune } = await import("../transcript/retention.ts");
    const before = keptSince(period, { projectDir: paths.projectDir, now });
    const { signal } = this.#abort;
    const pruned = await prune({ configDir: this.#configDir, before, signal });
    // The next session continues where this one had to stop.
    if (pruned.cutShort) rmSync(stamp, { force: true });
    if (pruned.removed.length > 0)
      logger.info({ sessions: pruned.removed.length }, "old sessions were removed");
    for (const { path, error } of pruned.failed)
      logger.warn({ path, error }, "an old session could not be removed");
  }
}

/** Whether a prune is due. A stamp in the future comes from a wrong clock. */
function isDue(stamp: string, now: number): boolean {
  const read = readSmallFile(stamp, 100);
  const then = read.kind === "text" ? Number(read.text) : Number.NaN;
  return !(then <= now && now - then < day);
}
