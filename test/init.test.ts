import { spawnSync } from "node:child_process";
import {
  chmodSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory, writeFiles } from "./support/stage.ts";
import { bin } from "./support/bin.ts";

const templates = fileURLToPath(new URL("../templates/init/", import.meta.url));
const files = ["agents/reviewer.md", "rehearsals/reviewer.yaml", "settings.json"];
const paths = files.map((file) => `.claude/${file}`);
const isRoot = process.getuid?.() === 0;

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The installed command, by a shell, so that a printed command line runs as it was printed. */
function shell(cwd: string, line: string, env: Record<string, string> = {}): Ran {
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["-c", `retinue() { "${process.execPath}" "${bin}" "$@"; }; ${line}`],
    {
      cwd,
      encoding: "utf8",
      env: {
        ...process.env,
        NO_COLOR: "1",
        npm_command: "",
        CLAUDE_CONFIG_DIR: temporaryDirectory(),
        ...env,
      },
    },
  );
  return { status, stdout, stderr };
}

/** Everything below a directory, files with their content, so that any change shows. */
function contentOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(directory, name);
      return [name, lstatSync(path).isFile() ? readFileSync(path, "utf8") : "no file"];
    }),
  );
}

function rehearsalLine(stdout: string): string {
  return /^ {2}(retinue run .*)$/m.exec(stdout)?.[1] ?? "nothing was printed";
}

test("init writes three files, says what is used and what is not, and where a key goes", () => {
  const cwd = temporaryDirectory();
  const ran = shell(cwd, "umask 077; retinue init");
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  expect(ran.stdout.split("\n").slice(0, 5)).toEqual([
    `In the current directory, ${cwd}:`,
    ...paths.map((path) => `  written  ${path}`),
    "",
  ]);
  expect(rehearsalLine(ran.stdout)).toBe(
    'retinue run -a reviewer --rehearse .claude/rehearsals/reviewer.yaml "Review the newest file"',
  );
  expect(ran.stdout).toContain("its rules that deny and ask hold at once");
  expect(ran.stdout).toContain("other settings in it act after 'retinue trust'.");
  expect(ran.stdout).toMatch(
    /never in a file of the repository:\nANTHROPIC_API_KEY, and ANTHROPIC_BASE_URL/,
  );
  for (const file of files) {
    const target = join(cwd, ".claude", file);
    expect(readFileSync(target, "utf8")).toBe(readFileSync(join(templates, file), "utf8"));
    expect(statSync(target).mode & 0o7777).toBe(0o644);
  }
  expect(Object.keys(contentOf(cwd))).toEqual(
    [".claude", ".claude/agents", ".claude/rehearsals", ...paths].toSorted(),
  );
});

test("the printed rehearsal passes and reports what is really there, hidden files left out", () => {
  const cwd = temporaryDirectory();
  writeFiles(cwd, {
    "old.js": "export {};\n",
    "src/sum.js": "// first\n// TODO: overflow\nexport const sum = (a, b) => a + b;\n",
    "src/sum.test.js": "",
    "src/.env": "TOKEN=TODO\n",
  });
  utimesSync(join(cwd, "old.js"), 1, 1);
  const ran = shell(cwd, rehearsalLine(shell(cwd, "retinue init").stdout));
  expect(ran.stdout).toBe(
    [
      "Rehearsed review of src/sum.js, no model has judged it.",
      "Lines that Read showed: 3",
      "Open notes: src/sum.js:2:TODO",
      "Newest test: src/sum.test.js",
      "",
    ].join("\n"),
  );
  expect(ran.stderr).toContain("replies are scripted");
  expect(ran.stderr).not.toMatch(/warning|denied/);
  expect(ran.status).toBe(0);
});

test("the rehearsal also passes where there is nothing but the agent, and fails for another agent", () => {
  const cwd = temporaryDirectory();
  const line = rehearsalLine(shell(cwd, "retinue init").stdout);
  writeFiles(cwd, { ".gitignore": ".claude\n", "picture.png": "\u0089PNG\r\n\u0000\u0000" });
  expect(shell(cwd, line)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Rehearsed review of \.claude\/agents\/reviewer\.md,/) as string,
  });
  expect(shell(cwd, line.replace("-a reviewer", "-a Explore")).status).toBe(1);
});

test("the first agent is a valid definition that can only read", () => {
  const cwd = temporaryDirectory();
  shell(cwd, "retinue init");
  const listed = shell(cwd, "retinue agents ls --json");
  expect(listed.stderr).toBe("");
  const rows = JSON.parse(listed.stdout) as { name: string }[];
  expect(rows.find(({ name }) => name === "reviewer")).toMatchObject({
    source: "project",
    tools: ["Read", "Grep", "Glob"],
    diagnostics: [],
  });
});

test("the rules that init writes hold at once: .env files are neither read nor found", () => {
  const cwd = temporaryDirectory();
  shell(cwd, "retinue init");
  writeFiles(cwd, {
    ".env": "TOKEN=secret\n",
    "look.yaml": `turns:
  - turn: 1
    reply: [{ call: Read, input: { file_path: ${join(cwd, ".env")} } }, { call: Grep, input: { pattern: TOKEN=secr } }]
  - reply: "{{ result.Read }} {{ result.Grep }}"
`,
  });
  const ran = shell(cwd, "retinue run --rehearse look.yaml Look");
  expect(ran.stdout).toContain("'Read(./.env)' denies it");
  expect(ran.stdout).not.toContain("TOKEN=secret");
  expect(ran.stdout).not.toMatch(/^\.env/m);
});

test("a second init changes nothing, says so and succeeds", () => {
  const cwd = temporaryDirectory();
  shell(cwd, "retinue init");
  const before = contentOf(cwd);
  const again = shell(cwd, "retinue init");
  expect(again).toMatchObject({ status: 0, stderr: "" });
  expect(again.stdout.match(/^ {2}\w+ +\.claude.*$/gm)).toEqual(
    paths.map((path) => `  kept     ${path}`),
  );
  expect(contentOf(cwd)).toEqual(before);
});

test("a file that exists is kept, links to files included, and the others are written", () => {
  const cwd = temporaryDirectory();
  const elsewhere = temporaryDirectory();
  writeFiles(cwd, { ".claude/agents/reviewer.md": "mine" });
  writeFiles(elsewhere, { "settings.json": "{}" });
  symlinkSync(join(elsewhere, "settings.json"), join(cwd, ".claude/settings.json"));
  const ran = shell(cwd, "retinue init --json");
  expect(JSON.parse(ran.stdout)).toEqual({
    directory: cwd,
    files: [
      { path: ".claude/agents/reviewer.md", state: "kept" },
      { path: ".claude/rehearsals/reviewer.yaml", state: "written" },
      { path: ".claude/settings.json", state: "kept" },
    ],
    rehearsal: expect.stringContaining("retinue run -a reviewer") as string,
  });
  expect(readFileSync(join(cwd, ".claude/agents/reviewer.md"), "utf8")).toBe("mine");
  expect(readFileSync(join(elsewhere, "settings.json"), "utf8")).toBe("{}");
});

test("below a repository's root init writes into the current directory and says where the root is", () => {
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  mkdirSync(join(root, "below"));
  const ran = shell(join(root, "below"), "retinue init");
  expect(ran.stdout).toContain(`The repository begins at ${root};`);
  expect(readdirSync(root)).toEqual([".git", "below"]);
  expect(readdirSync(join(root, "below/.claude"))).toEqual([
    "agents",
    "rehearsals",
    "settings.json",
  ]);
});

test("a link that stays inside the directory is followed", () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, "shared"));
  symlinkSync("shared", join(cwd, ".claude"));
  expect(shell(cwd, "retinue init").status).toBe(0);
  expect(globSync("shared/**/*.*", { cwd }).toSorted()).toEqual(
    files.map((file) => `shared/${file}`),
  );
});

test("started by npx, it prints a command that npx finds", () => {
  const ran = shell(temporaryDirectory(), "retinue init", { npm_command: "exec" });
  expect(ran.stdout).toContain("\n  npx retinue run -a reviewer ");
});

const blocked: [string, (cwd: string) => void, RegExp][] = [
  [
    "a file in the place of .claude",
    (cwd) => writeFiles(cwd, { ".claude": "" }),
    /\.claude must be a directory, but is not\. Move it away/,
  ],
  [
    "a file in the place of the last directory",
    (cwd) => writeFiles(cwd, { ".claude/rehearsals": "" }),
    /\.claude\/rehearsals must be a directory/,
  ],
  [
    "a directory in the place of a file",
    (cwd) => mkdirSync(join(cwd, ".claude/settings.json"), { recursive: true }),
    /settings\.json exists but is not a file\. Move it away/,
  ],
  [
    "a .claude that links to another directory",
    (cwd) => symlinkSync(temporaryDirectory(), join(cwd, ".claude")),
    /\.claude is a link that leads out of this directory, .* Replace it/,
  ],
  [
    "a .claude that links to nothing outside",
    (cwd) => symlinkSync("../nowhere", join(cwd, ".claude")),
    /\.claude is a link that leads out/,
  ],
  [
    "a settings file that links to nothing",
    (cwd) => {
      mkdirSync(join(cwd, ".claude"));
      symlinkSync("nowhere", join(cwd, ".claude/settings.json"));
    },
    /settings\.json exists but is not a file/,
  ],
];

test.each(blocked)("%s: one clear line, exit code 1, nothing written", (_name, block, message) => {
  const cwd = temporaryDirectory();
  block(cwd);
  const before = contentOf(cwd);
  const ran = shell(cwd, "retinue init");
  expect(ran).toMatchObject({ status: 1, stdout: "" });
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr).toMatch(/^retinue: .*\n$/);
  expect(contentOf(cwd)).toEqual(before);
});

test("nothing is written through a link that leads out of the directory", () => {
  const cwd = temporaryDirectory();
  const outside = temporaryDirectory();
  mkdirSync(join(cwd, ".claude"));
  symlinkSync(outside, join(cwd, ".claude/rehearsals"));
  expect(shell(cwd, "retinue init").status).toBe(1);
  expect(readdirSync(outside)).toEqual([]);
  expect(readdirSync(join(cwd, ".claude"))).toEqual(["rehearsals"]);
});

test("a directory that takes no files: one clear line and exit code 1", () => {
  expect(shell("/proc", "retinue init")).toEqual({
    status: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^retinue: \/proc\S* cannot be written \(.*\); nothing was changed\. Make its directory writable.*\n$/,
    ) as string,
  });
});

test.skipIf(isRoot)("an unwritable directory is found before the first file is written", () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, ".claude/rehearsals"), { recursive: true });
  chmodSync(join(cwd, ".claude/rehearsals"), 0o555);
  const before = contentOf(cwd);
  const ran = shell(cwd, "retinue init");
  chmodSync(join(cwd, ".claude/rehearsals"), 0o755);
  expect(ran).toMatchObject({ status: 1, stdout: "" });
  expect(ran.stderr).toMatch(/rehearsals cannot be written \(EACCES/);
  expect(contentOf(cwd)).toEqual(before);
});

test("when writing fails half way, what was written before is taken back", () => {
  const cwd = temporaryDirectory();
  writeFiles(cwd, { ".claude/mine": "stays" });
  // The agent fits into one block of 1024 bytes, the rehearsal does not.
  const ran = shell(cwd, "ulimit -f 1; retinue init");
  expect(ran).toMatchObject({ status: 1, stdout: "" });
  expect(ran.stderr).toMatch(/^retinue: \S+reviewer\.yaml cannot be written \(EFBIG.*\n$/);
  expect(contentOf(cwd)).toEqual({ ".claude": "no file", ".claude/mine": "stays" });
});

test("in the user's own directory it is refused: its files would hold everywhere", () => {
  const home = temporaryDirectory();
  const ran = shell(home, "retinue init", { CLAUDE_CONFIG_DIR: join(home, ".claude") });
  expect(ran).toMatchObject({ status: 1, stdout: "" });
  expect(ran.stderr).toMatch(
    /^retinue: .*would apply to all your projects\. Change to a repository/,
  );
  // Only what the program keeps for itself.
  const kept = /^\.claude(?:$|\/retinue(?:$|\/))/;
  expect(Object.keys(contentOf(home)).filter((name) => !kept.test(name))).toEqual([]);
});
