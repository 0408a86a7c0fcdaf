import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileName, filesPerChild, numbers, workloads } from "./script.ts";

/** All files of the bench, in one temporary directory that is gone afterwards. */
export class Workspace implements Disposable {
  readonly root: string = realpathSync(mkdtempSync(join(scratch, "retinue-bench-")));
  /** The repository that the programs run in and that children read. */
  readonly repository: string = join(this.root, "repository");
  /** Replaces the user's home, so that no setting of this machine applies. */
  readonly home: string = join(this.root, "home");
  /** File name → content of the files that children read. */
  readonly files: ReadonlyMap<string, string> = sampleFiles();

  constructor() {
    mkdirSync(this.repository);
    mkdirSync(this.home);
    for (const [name, content] of this.files) writeFileSync(join(this.repository, name), content);
    // A real repository with a commit, because reading its state is part of a start.
    const author = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    for (const args of [
      ["init", "-q"],
      ["add", "."],
      [...author, "commit", "-qm", "sample"],
    ]) {
      execFileSync("git", ["-C", this.repository, ...args], { stdio: "pipe" });
    }
  }

  /**
   * Compiles the floor program to JavaScript: stripping its types at every start would make it look slower than it is.
   */
  compileFloor(): string {
    const directory = join(this.root, "floor");
    mkdirSync(directory);
    writeFileSync(join(directory, "package.json"), '{"type":"module"}\n');
    const source = fileURLToPath(new URL("floor.ts", import.meta.url));
    const compiler = fileURLToPath(new URL("../node_modules/.bin/tsc", import.meta.url));
    const options = ["--ignoreConfig", "--noCheck", "--target", "es2024", "--module", "nodenext"];
    execFileSync(process.execPath, [compiler, source, ...options, "--outDir", directory]);
    return join(directory, "floor.js");
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/**
 * The scratch directory, in memory where possible: a disk where files were just deleted, as they are at the end of each
 * bench, takes longer to make new ones.
 */
export const scratch: string =
  process.env["TMPDIR"] === undefined && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Sample files. No line occurs in two of them, so that the lines that reached the model are certain. */
function sampleFiles(): Map<string, string> {
  const children = numbers(Math.max(...Object.values(workloads)));
  const names = children.flatMap((child) =>
    numbers(filesPerChild).map((step) => fileName(child, step)),
  );
  return new Map(
    names.map((name, file) => {
      const lines = numbers(24).map(
        (line) => `export const value_${file}_${line} = ${file} * ${line};`,
      );
      return [name, `// ${name}\n${lines.join("\n")}\n`];
    }),
  );
}
