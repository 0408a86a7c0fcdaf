import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the package: tests of the command line and of the examples run what a user installs. */
export function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, ["scripts/build.ts"], { cwd: root, stdio: "inherit" });
}
