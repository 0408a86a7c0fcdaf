import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/stage.ts";
import { gitThatLooks } from "./git-paths.ts";

/** A repository with a commit, and a program that leaves a mark beside it. */
function repository(): { cwd: string; evil: string; mark: string; git: Git } {
  const root = temporaryDirectory();
  const cwd = join(root, "repository");
  const mark = join(root, "mark");
  const evil = join(root, "evil");
  writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  mkdirSync(cwd);
  const git: Git = (...words) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e", ...words], {
      cwd,
      encoding: "utf8",
    });
  git("init", "-q");
  writeFileSync(join(cwd, "a"), "1\n");
  git("add", "a");
  git("commit", "-qm", "one");
  return { cwd, evil, mark, git };
}

type Git = (...words: string[]) => string;

function look(cwd: string, words: readonly string[]): string {
  const env = { ...process.env, ...gitThatLooks(process.env) };
  const { stdout, stderr } = spawnSync("git", words, { cwd, env, encoding: "utf8" });
  return stdout + stderr;
}

test("git that looks checks no signature, though the configuration of the repository wants it", () => {
  const { cwd, evil, mark, git } = repository();
  git("config", "log.showSignature", "true");
  git("config", "gpg.program", evil);
  const signed = git("cat-file", "commit", "HEAD").replace(
    "\n\n",
    "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n",
  );
  writeFileSync(join(cwd, "commit"), signed);
  git("update-ref", "HEAD", git("hash-object", "-t", "commit", "-w", "commit").trim());
  expect(look(cwd, ["log", "-1"])).toContain("one");
  expect(existsSync(mark)).toBe(false);
  git("log", "-1");
  expect(existsSync(mark)).toBe(true);
});

test("git that looks fetches nothing that a partial clone lacks", () => {
  const { cwd, evil, mark, git } = repository();
  git("config", "uploadpack.allowFilter", "true");
  git("clone", "-q", "--no-checkout", "--filter=blob:none", `file://${cwd}`, "partial");
  const partial = join(cwd, "partial");
  git("-C", partial, "config", "remote.origin.uploadpack", evil);
  look(partial, ["show", "HEAD"]);
  expect(existsSync(mark)).toBe(false);
  spawnSync("git", ["show", "HEAD"], { cwd: partial });
  expect(existsSync(mark)).toBe(true);
});

test("git that looks takes no directory among the files for a repository", () => {
  const { cwd, evil, mark } = repository();
  const inside = join(cwd, "inside");
  for (const name of ["objects", "refs"]) mkdirSync(join(inside, name), { recursive: true });
  symlinkSync("refs/heads/nothing", join(inside, "HEAD"));
  writeFileSync(
    join(inside, "config"),
    `[core]\n\tbare = false\n\tworktree = .\n[alias]\n\tx = "!${evil}"\n`,
  );
  expect(look(inside, ["status"])).toContain("cannot use bare repository");
  look(inside, ["x"]);
  expect(existsSync(mark)).toBe(false);
  spawnSync("git", ["x"], { cwd: inside });
  expect(existsSync(mark)).toBe(true);
});
