// Builds dist/ from scratch, so that nothing stale is ever published: types and the library file by file with tsc, the
// command line bundled with its dependencies, because loading hundreds of small files is most of a short run's time. The
// result replaces the old one at the very end, so that a command that starts meanwhile hardly ever misses it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const scratch = mkdtempSync(".build-");
process.once("SIGINT", () => process.exit(130));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const fresh = join(scratch, "new");
const options = ["-p", "tsconfig.build.json", "--outDir", fresh];
const { status } = spawnSync("tsc", options, { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
await bundleCommandLine(join(fresh, "cli"));
for (let attempt = 1; ; attempt += 1) {
  try {
    if (existsSync("dist")) renameSync("dist", join(scratch, `old-${attempt}`));
    renameSync(fresh, "dist");
    break;
  } catch (error) {
    // Another build was faster; this one is at least as new.
    if (attempt === 5) throw error;
  }
}

/** The command line's modules with their dependencies; a command's own code is loaded when it runs. */
async function bundleCommandLine(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const bundle = await rolldown({
    input: { retinue: "src/cli/command-line.ts" },
    platform: "node",
    // Optional, ships a binary beside its code, or is loaded in a worker by its own name.
    external: ["@anthropic-ai/sandbox-runtime", "@vscode/ripgrep", "node-html-markdown"],
    logLevel: "warn",
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({
    dir: directory,
    // No hash: the file of a new version replaces that of the old one in Node's compile cache.
    chunkFileNames: "[name].js",
    // One file for all that several commands use. A hundred small ones take a fifth longer to load.
    codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] },
    minify: true,
  });
  await bundle.close();
}
