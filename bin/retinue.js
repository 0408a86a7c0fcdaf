#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old one gets a clear line instead of a syntax error. It imports
// nothing: an import reads every export of a module of Node's, which takes longer than the rest of `--version`.
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
  // The second start of a version finds its code compiled, in a place that is the user's own: where Node keeps it by
  // itself, below the directory for temporary files, anybody could have put something else.
  const home = process.getBuiltinModule("node:os").homedir();
  const config = process.env.CLAUDE_CONFIG_DIR || `${home}/.claude`;
  const cache = `${config}/retinue/compile-cache`;
  try {
    process.getBuiltinModule("node:fs").mkdirSync(cache, { recursive: true, mode: 0o700 });
    process.getBuiltinModule("node:module").enableCompileCache(cache);
  } catch {
    // It only takes longer.
  }
  await import("../dist/cli/main.js");
}
