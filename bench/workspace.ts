import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileName, filesPerChild, numbers, workloads } from "./script.ts";

/** Everything that the bench writes, in one temporary directory that is gone afterwards. */
export class Workspace implements Disposable {
  readonly root: string = realpathSync(mkdtempSync(join(scratch, "retinue-bench-")));
  /** The repository that the programs run in and that children read. */
  readonly repository: string = join(this.root, "repository");
  /** Takes the place of the user's home, so that no setting of this machine has a say. */
  readonly home: string = join(this.root, "home");
  /** File name → content of what children read. */
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

  /** The floor program as JavaScript: taking its types off at every start would make it look slower than it is. */
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

/** No line stands in two files, so that what reached the model can be told for certain. */
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
