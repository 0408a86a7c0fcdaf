// Builds dist/ from scratch, so that nothing stale is ever published: types and the library file by file with tsc, the
// command line bundled with its dependencies, because loading a hundred small files is most of a short run's time. The
// result takes the place of the old one at the very end, so that a command that starts meanwhile hardly ever misses it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/**
 * What most commands share lies in few files: finding and linking one more takes longer than what is too much in a larger one.
 */
const groups = [
  {
    name: "base",
    test: /src\/(?:errors|ids|longest-timer|message|package-path|resolved-agent|version|diagnostic|agent-result)\.ts$/,
  },
  { name: "base", test: /src\/platform\/(?!sandbox)/ },
  {
    name: "base",
    test: /src\/cli\/(?:style|width|format|sanitize|literal|exit-codes|broken-pipe|columns)\.ts$/,
  },
  { name: "transcript", test: /src\/(?:transcript|events)\// },
  { name: "permissions", test: /src\/(?:permissions|shell|inbox|redact)\// },
  {
    name: "agents",
    test: /src\/(?:configuration|house|spawn|spawn-request|manager|manager-options)\.ts$/,
  },
  { name: "control", test: /src\/control\// },
  { name: "agents", test: /src\/(?:lifecycle|loop|settings|plugins|request)\// },
];

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

async function bundleCommandLine(directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const bundle = await rolldown({
    input: { main: "src/cli/main.ts" },
    platform: "node",
    // Optional, ships a binary beside its code, or is loaded in a worker by its own name.
    external: ["@anthropic-ai/sandbox-runtime", "@vscode/ripgrep", "node-html-markdown"],
    logLevel: "warn",
    transform: {
      // What a client library only asks for in vain would load all of Node's `fetch`.
      inject: { Headers: [resolve("src/model/plain-headers.ts"), "PlainHeaders"] },
      define: { FormData: "URLSearchParams", "globalThis.ReadableStream": "undefined" },
    },
  });
  await bundle.write({
    dir: directory,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    minify: true,
    codeSplitting: { groups },
  });
  await bundle.close();
}
