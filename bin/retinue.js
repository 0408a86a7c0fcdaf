#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a clear line instead of a syntax error. No static import:
// it reads every export of a module of Node's, which takes longer than the rest of `--version`.
const major = Number(process.versions.node.split(".")[0]);
const problem =
  process.platform === "win32"
    ? "Windows is not supported. Use Linux, macOS or WSL."
    : major < 24
      ? `Node ${process.versions.node} is too old. Install Node 24 or newer, from https://nodejs.org.`
      : null;
const [first, ...others] = process.argv.slice(2);

if (problem !== null) {
  process.stderr.write(`retinue: ${problem}\n`);
  process.exitCode = 1;
} else if (others.length === 0 && (first === "--version" || first === "-V")) {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${version}\n`);
} else {
  // Compiled code is code. So it comes from the user's own directory, not from the one for temporary files, where others
  // can write, and commands in a sandbox too.
  const { HOME } = process.env;
  if (HOME?.startsWith("/"))
    process.getBuiltinModule("node:module").enableCompileCache(`${HOME}/.cache/retinue`);
  const { runCommandLine } = await import("../dist/cli/retinue.js");
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
