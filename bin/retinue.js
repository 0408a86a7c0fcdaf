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
 * The command line is one script, and Node gets it together with its functions as earlier runs compiled them: a quarter
 * of a short run's time. Node's own compile cache keeps a file as it is before it runs, when hardly a function is compiled.
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
  const cache = codeCacheFor(code);
  const script = new Script(code, { filename, cachedData: cache.data });
  cache.keepFrom(script);
  const module = { exports: {} };
  const require = createRequire(filename);
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename));
  return module.exports.runCommandLine;
}

/**
 * The file holds a sum, because V8 does not look whether data is whole, how much was compiled then, and V8's data. It is
 * code: so it is taken only from the user himself, and neither from a directory for temporary files nor from one that
 * depends on where the command is called.
 */
function codeCacheFor(code) {
  const fs = process.getBuiltinModule("node:fs");
  const { hash } = process.getBuiltinModule("node:crypto");
  const { isAbsolute } = process.getBuiltinModule("node:path");
  const config =
    process.env.CLAUDE_CONFIG_DIR || `${process.getBuiltinModule("node:os").homedir()}/.claude`;
  const directory = `${config}/retinue/code-cache`;
  // The script begins with a hash of itself, in a comment.
  const file = `${directory}/${code.slice(2, 18)}-${process.version}-${process.arch}`;
  const sumOf = (content) => hash("sha256", content, "buffer");
  const sumLength = 32;
  const { compiled: compiledBefore, data } = read();
  return { data, keepFrom };

  function isOwn(path) {
    const status = fs.lstatSync(path, { throwIfNoEntry: false });
    return status?.isSymbolicLink() === false && status.uid === process.getuid();
  }

  function read() {
    try {
      if (isAbsolute(config) && isOwn(directory) && isOwn(file)) {
        const whole = fs.readFileSync(file);
        const content = whole.subarray(sumLength);
        if (sumOf(content).equals(whole.subarray(0, sumLength)))
          return { compiled: content.readUInt32LE(), data: content.subarray(4) };
      }
    } catch {
      // There is none yet, or it cannot be read.
    }
    return { compiled: 0, data: undefined };
  }

  /** At the end of a run, or while a long one is young: V8 forgets functions that it has not run for a while. */
  function keepFrom(script) {
    if (!isAbsolute(config)) return;
    const atEnd = () => keep(script);
    process.once("exit", atEnd);
    const whileYoung = () => process.off("exit", atEnd) && keep(script);
    setTimeout(whileYoung, 2000).unref();
  }

  function keep(script) {
    const { getHeapCodeStatistics } = process.getBuiltinModule("node:v8");
    const compiled = getHeapCodeStatistics().bytecode_and_metadata_size;
    const hardlyMore = compiled < compiledBefore * 1.01;
    if (hardlyMore && !script.cachedDataRejected) return;
    const head = Buffer.alloc(4);
    head.writeUInt32LE(compiled);
    const content = Buffer.concat([head, script.createCachedData()]);
    try {
      // One by one: all at once, Node waits for ever where nothing can be made, as below /proc.
      for (const path of [`${config}/retinue`, directory])
        if (!fs.existsSync(path)) fs.mkdirSync(path, { mode: 0o700 });
      if (!isOwn(directory)) return;
      replace(Buffer.concat([sumOf(content), content]));
      removeOld();
    } catch {
      // The next run only takes longer.
    }
  }

  function replace(content) {
    const fresh = `${file}.${process.pid}`;
    try {
      fs.writeFileSync(fresh, content, { mode: 0o600, flag: "wx" });
      fs.renameSync(fresh, file);
    } catch (error) {
      fs.rmSync(fresh, { force: true });
      throw error;
    }
  }

  function removeOld() {
    const month = 30 * 24 * 60 * 60 * 1000;
    for (const name of fs.readdirSync(directory)) {
      const path = `${directory}/${name}`;
      if (/^[0-9a-f]{16}-v/.test(name) && fs.lstatSync(path).mtimeMs < Date.now() - month)
        fs.rmSync(path, { force: true });
    }
  }
}
