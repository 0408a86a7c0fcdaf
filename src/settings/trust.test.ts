import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "../../test/support/stage.ts";
import { distrustFolder, isTrusted, trustedFolders, trustedThrough, trustFolder } from "./trust.ts";

let root: string;
let configDir: string;
const at = (path: string): string => join(root, path);
const trusts = (path: string): boolean => isTrusted(at(path), configDir);
const folders = (): string[] => trustedFolders(configDir).map(({ folder }) => folder);

beforeEach(() => {
  root = temporaryDirectory();
  configDir = at("config");
  for (const path of [
    "repository/.git",
    "repository/src",
    "repository/vendor/nested/.git",
    "plain/sub",
  ])
    mkdirSync(at(path), { recursive: true });
});

describe("trust", () => {
  test("is for the project of a directory, and nobody has it at first", async () => {
    expect(trusts("repository/src")).toBe(false);
    expect(await trustFolder(at("repository/src"), configDir)).toBe(at("repository"));
    expect(trusts("repository/src")).toBe(true);
    expect(trusts("repository")).toBe(true);
  });

  test("reaches neither up nor into a repository of its own inside", async () => {
    await trustFolder(at("repository"), configDir);
    expect(trusts("repository/vendor/nested")).toBe(false);
    expect(trusts(".")).toBe(false);
    expect(trusts("repository-evil")).toBe(false);
  });

  test("of a directory without a repository is for that directory alone", async () => {
    await trustFolder(at("plain"), configDir);
    expect(trusts("plain")).toBe(true);
    expect(trusts("plain/sub")).toBe(false);
  });

  test("of everything is trust in one folder like any other", async () => {
    await trustFolder("/", configDir);
    expect(trusts("plain")).toBe(false);
  });

  test("is found through links, and a link does not carry it elsewhere", async () => {
    symlinkSync(at("repository"), at("link"));
    symlinkSync(at("plain/sub"), at("repository/inner"));
    await trustFolder(at("link"), configDir);
    expect(folders()).toEqual([at("repository")]);
    expect(trusts("link/src")).toBe(true);
    expect(trusts("repository/inner")).toBe(false);
  });

  test("can be taken back, also from a folder that is gone", async () => {
    await trustFolder(at("repository"), configDir);
    await trustFolder(at("plain/sub"), configDir);
    expect(distrustFolder(at("repository/src"), configDir)).toBe(at("repository"));
    expect(trusts("repository")).toBe(false);
    expect(distrustFolder(at("repository"), configDir)).toBeUndefined();
    rmSync(at("plain/sub"), { recursive: true });
    expect(distrustFolder(at("plain/sub"), configDir)).toBe(at("plain/sub"));
    expect(folders()).toEqual([]);
  });

  test("is not taken from a repository when a folder that is gone was named", async () => {
    await trustFolder(at("repository"), configDir);
    expect(distrustFolder(at("repository/gone"), configDir)).toBeUndefined();
    expect(trusts("repository")).toBe(true);
  });

  test("in a folder that does not exist is refused", async () => {
    await expect(trustFolder(at("gone"), configDir)).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  test("is kept in private files, one for each folder", async () => {
    await trustFolder(at("repository"), configDir);
    const store = join(configDir, "retinue/trust");
    const name = `${createHash("sha256").update(at("repository")).digest("hex")}.json`;
    expect(readdirSync(store)).toEqual([name]);
    expect(statSync(store).mode & 0o777).toBe(0o700);
    expect(statSync(join(store, name)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(store, name), "utf8"))).toEqual({
      folder: at("repository"),
      trustedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  test("given to many folders at once, twice each, is lost for none", async () => {
    const names = Array.from({ length: 20 }, (_, index) => at(`many/${index}`));
    for (const name of names) mkdirSync(name, { recursive: true });
    await Promise.all([...names, ...names].map((name) => trustFolder(name, configDir)));
    expect(folders()).toEqual(names.toSorted());
    expect(readdirSync(join(configDir, "retinue/trust"))).toHaveLength(20);
  });

  test("does not come from entries that are broken or lie under another's name", async () => {
    await trustFolder(at("repository"), configDir);
    const store = join(configDir, "retinue/trust");
    const [name = ""] = readdirSync(store);
    const other = `${createHash("sha256").update(at("plain")).digest("hex")}.json`;
    cpSync(join(store, name), join(store, other));
    writeFiles(store, { "broken.json": "{", "list.json": "[]", "note.txt": "" });
    execFileSync("mkfifo", [join(store, "pipe.json")]);
    expect(trusts("plain")).toBe(false);
    expect(folders()).toEqual([at("repository")]);
    writeFileSync(join(store, name), "{}");
    expect(trusts("repository")).toBe(false);
  });
});

describe("a linked worktree", () => {
  const git = (cwd: string, ...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd,
      stdio: "ignore",
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    });
  };
  const entry = (): string => at("main/.git/worktrees/tree");

  beforeEach(async () => {
    mkdirSync(at("main"));
    git(at("main"), "init", "-q");
    git(at("main"), "commit", "-q", "--allow-empty", "-m", "first");
    git(at("main"), "worktree", "add", "-q", at("tree"));
    await trustFolder(at("main"), configDir);
  });

  test("is trusted with its main checkout, and not without", () => {
    mkdirSync(at("tree/src"));
    expect(trustedThrough(at("tree/src"), configDir)).toBe(at("main"));
    distrustFolder(at("main"), configDir);
    expect(trusts("tree")).toBe(false);
  });

  test("that is trusted does not make its main checkout trusted", async () => {
    distrustFolder(at("main"), configDir);
    await trustFolder(at("tree"), configDir);
    expect(trusts("tree")).toBe(true);
    expect(trusts("main")).toBe(false);
  });

  test("with relative pointers is trusted too", () => {
    writeFileSync(at("tree/.git"), "gitdir: ../main/.git/worktrees/tree\n");
    writeFileSync(join(entry(), "gitdir"), "../../../../tree/.git\n");
    expect(trusts("tree")).toBe(true);
  });

  test("is not what another folder claims with a copy of its .git file", () => {
    mkdirSync(at("hostile"));
    cpSync(at("tree/.git"), at("hostile/.git"));
    expect(trusts("hostile")).toBe(false);
  });

  test("is not what another folder claims with a link to its .git file", () => {
    mkdirSync(at("hostile"));
    symlinkSync(at("tree/.git"), at("hostile/.git"));
    expect(trusts("hostile")).toBe(false);
  });

  test("is not what points at the trusted repository itself, or links to it", () => {
    for (const [name, pointer] of [
      ["a", at("main/.git")],
      ["b", at("main")],
      ["c", at("main/.git/worktrees")],
      ["d", at("main/.git/worktrees/none")],
    ] as const) {
      writeFiles(at(name), { ".git": `gitdir: ${pointer}\n` });
      expect(trusts(name)).toBe(false);
    }
    mkdirSync(at("e"));
    symlinkSync(at("main/.git"), at("e/.git"));
    expect(trusts("e")).toBe(false);
  });

  test("is not what brings an entry of its own that names the trusted repository", () => {
    writeFiles(at("hostile"), {
      ".git": "gitdir: fake/.git/worktrees/x\n",
      "fake/.git/worktrees/x/gitdir": `${at("hostile/.git")}\n`,
      "fake/.git/worktrees/x/commondir": `${at("main/.git")}\n`,
    });
    expect(trusts("hostile")).toBe(false);
  });

  test("is not what reaches an entry elsewhere through a link", () => {
    writeFiles(at("hostile"), {
      ".git": `gitdir: ${at("hostile/main/.git/worktrees/x")}\n`,
      "entry/gitdir": `${at("hostile/.git")}\n`,
      "entry/commondir": `${at("main/.git")}\n`,
    });
    mkdirSync(at("hostile/main/.git/worktrees"), { recursive: true });
    symlinkSync(at("hostile/entry"), at("hostile/main/.git/worktrees/x"));
    expect(trusts("hostile")).toBe(false);
  });

  test("is not trusted once it was moved, or its entry leads elsewhere", () => {
    renameSync(at("tree"), at("moved"));
    expect(trusts("moved")).toBe(false);
    renameSync(at("moved"), at("tree"));
    writeFileSync(join(entry(), "commondir"), "../../../../plain\n");
    expect(trusts("tree")).toBe(false);
  });

  // Only root can give a file away.
  test.runIf(process.getuid?.() === 0)("that somebody else has put there is not trusted", () => {
    chownSync(at("tree/.git"), 12_345, 12_345);
    expect(trusts("tree")).toBe(false);
  });

  test("a pipe in the place of a pointer does not hang", () => {
    rmSync(join(entry(), "gitdir"));
    execFileSync("mkfifo", [join(entry(), "gitdir")]);
    expect(trusts("tree")).toBe(false);
    mkdirSync(at("pipe"));
    execFileSync("mkfifo", [at("pipe/.git")]);
    expect(trusts("pipe")).toBe(false);
  });

  test("a submodule is not trusted with the repository around it", () => {
    writeFiles(at("main"), {
      "module/.git": "gitdir: ../.git/modules/module\n",
      ".git/modules/module/gitdir": `${at("main/module/.git")}\n`,
      ".git/modules/module/commondir": "../..\n",
    });
    expect(trusts("main/module")).toBe(false);
  });
});
