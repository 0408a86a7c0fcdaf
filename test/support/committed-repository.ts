import { execFileSync } from "node:child_process";

/** Makes a repository out of a directory and everything in it. Returns git, for more. */
export function committedRepository(cwd: string): (...args: string[]) => void {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"];
  const git = (...args: string[]): void =>
    void execFileSync("git", [...identity, ...args], { cwd, stdio: "ignore" });
  git("init", "-b", "main");
  git("add", ".");
  git("commit", "-m", "x");
  return git;
}
