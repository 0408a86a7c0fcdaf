// Fetches bash's own tests, for `npm run fuzz:shell`, from the source package of the distribution:
//   node scripts/fetch-bash-tests.ts
// They go into the user's cache directory and are not part of this repository. Needs Debian or Ubuntu, and `apt-get`.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

export const bashTestsDirectory: string = join(
  process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"),
  "retinue",
  "bash-tests",
);

if (import.meta.main) {
  const directory = mkdtempSync(join(tmpdir(), "retinue-bash-"));
  try {
    fetchInto(directory);
    console.log(`bash's own tests: ${bashTestsDirectory}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function fetchInto(directory: string): void {
  const sources = join(directory, "sources.list");
  writeFileSync(sources, sourceLines().join("\n") + "\n");
  mkdirSync(join(directory, "lists", "partial"), { recursive: true });
  const options = [
    ...["-o", `Dir::Etc::SourceList=${sources}`, "-o", "Dir::Etc::SourceParts=/dev/null"],
    ...["-o", `Dir::State::Lists=${join(directory, "lists")}`],
    ...["-o", `Dir::Cache=${join(directory, "cache")}`, "-o", "APT::Sandbox::User=root"],
  ];
  const apt = (...words: string[]): void => {
    execFileSync("apt-get", [...options, "-qq", ...words], { cwd: directory, stdio: "inherit" });
  };
  apt("update");
  apt("source", "--download-only", "bash");
  unpack(directory);
}

/** Unpacks the package, which may hold the source as an archive of its own. */
function unpack(directory: string): void {
  const archive = readdirSync(directory).find((name) => /\.orig\.tar\.\w+$/.test(name));
  if (archive === undefined)
    throw new Error("The source package has no archive. Fetch it by hand.");
  execFileSync("tar", ["-xf", archive], { cwd: directory });
  const inner = findDirectory(directory, "tests");
  if (inner === undefined) throw new Error(`There is no directory 'tests' in ${archive}.`);
  rmSync(bashTestsDirectory, { recursive: true, force: true });
  cpSync(inner, bashTestsDirectory, { recursive: true });
}

function findDirectory(directory: string, name: string): string | undefined {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (/\.tar\.\w+$/.test(entry.name) && entry.parentPath !== directory)
      execFileSync("tar", ["-xf", entry.name], { cwd: entry.parentPath });
  }
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name === name)
    .map((entry) => join(entry.parentPath, entry.name))
    .find((path) => existsSync(join(path, "run-all")));
}

/** The distribution's own sources, for source packages. */
function sourceLines(): string[] {
  const files = ["/etc/apt/sources.list", ...partsIn("/etc/apt/sources.list.d")];
  const texts = files.filter((path) => existsSync(path)).map((path) => readFileSync(path, "utf8"));
  const lines = texts.flatMap((text) =>
    /^Types:/m.test(text) ? text.split(/\n\s*\n/).flatMap(linesOfStanza) : linesOfList(text),
  );
  const own = lines.filter((line) => / main\b/.test(line) && /debian|ubuntu/.test(line));
  if (own.length === 0) throw new Error("No source of this distribution is in /etc/apt.");
  return own;
}

function partsIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).map((name) => join(directory, name));
}

function linesOfList(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => /^deb\s/.test(line))
    .map((line) => line.replace(/^deb\s/, "deb-src "));
}

function linesOfStanza(stanza: string): string[] {
  const field = (name: string): string =>
    new RegExp(`^${name}:\\s*(.*)$`, "m").exec(stanza)?.[1]?.trim() ?? "";
  if (field("URIs") === "") return [];
  const key = field("Signed-By");
  const trust = key === "" ? "" : `[signed-by=${key}] `;
  return field("Suites")
    .split(/\s+/)
    .map((suite) => `deb-src ${trust}${field("URIs")} ${suite} ${field("Components")}`);
}
