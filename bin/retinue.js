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
  process.exitCode = await loadCommandLine()(process.argv.slice(2));
}

/**
 * The command line is one script, and Node gets it together with its functions as an earlier run of the same command
 * compiled them: a fifth of a short run's time. Node's own compile cache keeps a file as it is before it runs, when
 * hardly a function is compiled.
 */
function loadCommandLine() {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { createRequire } = process.getBuiltinModule("node:module");
  const { dirname } = process.getBuiltinModule("node:path");
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  const { Script } = process.getBuiltinModule("node:vm");
  const filename = fileURLToPath(new URL("../dist/cli/retinue.cjs", import.meta.url));
  // One function in plain ASCII.
  const code = readFileSync(filename, "latin1");
  const compiled = compiledBefore(code);
  const script = new Script(code, { filename, cachedData: compiled.data });
  if (compiled.data === undefined || script.cachedDataRejected) compiled.keepFrom(script);
  const module = { exports: {} };
  const require = createRequire(filename);
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename));
  return module.exports.runCommandLine;
}

/**
 * In a place that is the user's own: below the directory for temporary files anybody could have put something else. Each
 * command has its own, because each needs other functions. V8 does not look whether the data is whole, so it has a sum.
 */
function compiledBefore(code) {
  const fs = process.getBuiltinModule("node:fs");
  const { hash } = process.getBuiltinModule("node:crypto");
  const sumOf = (data) => hash("sha256", data, "buffer");
  const config =
    process.env.CLAUDE_CONFIG_DIR || `${process.getBuiltinModule("node:os").homedir()}/.claude`;
  const all = `${config}/retinue/code-cache`;
  const name = code.slice("//".length, "//".length + 16);
  const directory = `${all}/${name}-${process.version}-${process.arch}`;
  const command = /^[a-z]+$/.test(first) ? first : "run";
  const file = `${directory}/${command}`;
  return { data: read(), keepFrom };

  function read() {
    try {
      const kept = fs.readFileSync(file);
      const data = kept.subarray(32);
      return sumOf(data).equals(kept.subarray(0, 32)) ? data : undefined;
    } catch {
      return undefined;
    }
  }

  /** At the end of a run that went well, or while a long one is young: V8 forgets functions that it has not run for a while. */
  function keepFrom(script) {
    if (first === undefined || process.argv.includes("-h") || process.argv.includes("--help"))
      return;
    const atEnd = (exitCode) => exitCode === 0 && keep(script);
    process.once("exit", atEnd);
    const whileYoung = () => process.off("exit", atEnd) && keep(script);
    setTimeout(whileYoung, 2000).unref();
  }

  function keep(script) {
    try {
      // One by one: all at once, Node waits for ever where nothing can be made, as below /proc.
      for (const path of [`${config}/retinue`, all, directory])
        if (!fs.existsSync(path)) fs.mkdirSync(path, { mode: 0o700 });
      const data = script.createCachedData();
      fs.writeFileSync(`${file}.${process.pid}`, Buffer.concat([sumOf(data), data]), {
        mode: 0o600,
      });
      fs.renameSync(`${file}.${process.pid}`, file);
      removeOld();
    } catch {
      // It only takes longer.
    }
  }

  function removeOld() {
    const month = 30 * 24 * 60 * 60 * 1000;
    for (const entry of fs.readdirSync(all))
      if (fs.statSync(`${all}/${entry}`).mtimeMs < Date.now() - month)
        fs.rmSync(`${all}/${entry}`, { recursive: true, force: true });
  }
}
