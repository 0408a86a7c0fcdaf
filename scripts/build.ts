// Builds dist/ from scratch, so that nothing stale is ever published: types and the library file by file with tsc, the
// command line as one file with its dependencies, because loading a hundred small ones is most of a short run's time. The
// result takes the place of the old one at the very end, so that a command that starts meanwhile hardly ever misses it.
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
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

/** One plain script, because only such a script can be started with its functions compiled: see bin/retinue.js. */
async function bundleCommandLine(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const bundle = await rolldown({
    input: { retinue: "src/cli/command-line.ts" },
    platform: "node",
    // Optional, ships a binary beside its code, or is loaded in a worker by its own name.
    external: ["@anthropic-ai/sandbox-runtime", "@vscode/ripgrep", "node-html-markdown"],
    logLevel: "warn",
    transform: {
      // What a client library only asks for in vain would load all of Node's `fetch`.
      inject: { Headers: [resolve("src/model/http/plain-headers.ts"), "PlainHeaders"] },
      define: { FormData: "URLSearchParams", "globalThis.ReadableStream": "undefined" },
    },
  });
  const { output } = await bundle.generate({
    format: "cjs",
    // A text of bytes takes half the memory, and none to decode.
    charset: "ascii",
    minify: true,
    codeSplitting: false,
    // For a script that is started like this, Node calls `import()` experimental, on stderr.
    dynamicImportInCjs: false,
  });
  await bundle.close();
  const [{ code }] = output;
  mkdirSync(directory);
  if (/[^\0-\x7f]/.test(code)) throw new Error("The bundle is not plain ASCII.");
  // Compiled functions are kept for just this code, so its first line is its name.
  const script = `//${hash("sha256", code)}\n(function (exports, require, module, __filename, __dirname) {${code}\n})`;
  writeFileSync(join(directory, "retinue.cjs"), script);
}
