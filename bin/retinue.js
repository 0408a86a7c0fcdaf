#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a clear line instead of a syntax error.
const major = Number(process.versions.node.split(".")[0]);
const problem =
  process.platform === "win32"
    ? "Windows is not supported. Use Linux, macOS or WSL."
    : major < 24
      ? `Node ${process.versions.node} is too old. Install Node 24 or newer, from https://nodejs.org.`
      : null;

if (problem === null) await import("../dist/cli/main.js");
else {
  process.stderr.write(`retinue: ${problem}\n`);
  process.exitCode = 1;
}
