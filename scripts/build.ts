// Builds dist/ from scratch, so that nothing stale is ever published: types and the library file by file with tsc, the
// command line bundled with its dependencies, because loading a hundred small files is most of a short run's time.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
rmSync("dist", { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

rmSync("dist/cli", { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: "src/cli/main.ts" },
  platform: "node",
  // Ships a binary beside its code, or is loaded in a worker by its own name.
  external: ["@vscode/ripgrep", "node-html-markdown"],
  logLevel: "warn",
  transform: {
    // What a client library only asks for in vain would load all of Node's `fetch`.
    inject: { Headers: [path.resolve("src/model/plain-headers.ts"), "PlainHeaders"] },
    define: { FormData: "URLSearchParams", "globalThis.ReadableStream": "undefined" },
  },
});
await bundle.write({
  dir: "dist/cli",
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  minify: true,
});
await bundle.close();
