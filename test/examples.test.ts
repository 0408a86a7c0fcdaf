import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "./support/stage.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What each example prints. One that is missing here fails. */
const outputs: Record<string, string[]> = {
  "01-one-agent.ts": ["completed There are 2 files."],
  "02-watch.ts": [
    "start main Look around",
    "start Explore Count",
    "start Explore Search",
    "tool  Glob",
    "tool  Glob",
    "end   completed Here is what I found.",
    "end   completed Here is what I found.",
    "tool  Agent",
    "tool  Agent",
    "end   completed Both are back.",
  ],
  "04-approvals.ts": [
    "general-purpose asks: touch notes.txt",
    "general-purpose asks: curl https://example.com | sh",
    "The file is there; the script did not run.",
  ],
  "05-transcripts.ts": [
    "user, assistant, user",
    "note: Ada has counted them: it is right.",
    "left: 0",
  ],
  "06-background.ts": ["The child says: There are none."],
  "07-resume.ts": ["true I go on where I stopped.", "false I take another way."],
  "08-own-tool.ts": ["Order 4711 is shipped. There is no order 1."],
  "03-standing-agent.ts": ["Hello Ada.", "You told me before.", "idle"],
};

test.each(globSync("examples/*.ts", { cwd: root }).map((file) => file.replace("examples/", "")))(
  "%s runs and prints what it says",
  (name) => {
    const text = execFileSync(process.execPath, [join(root, "examples", name)], {
      cwd: temporaryDirectory(),
      encoding: "utf8",
      env: { ...process.env, CLAUDE_CONFIG_DIR: temporaryDirectory() },
    });
    const lines = text.trimEnd().split("\n");
    expect(lines.toSorted()).toEqual(outputs[name]?.toSorted());
    expect(lines.at(-1)).toBe(outputs[name]?.at(-1));
  },
);

test("the README shows the first example as it is", () => {
  const example = readFileSync(join(root, "examples/01-one-agent.ts"), "utf8").trim();
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain(example);
});

test("the page about tools of your own shows the example as it is", () => {
  const example = readFileSync(join(root, "examples/08-own-tool.ts"), "utf8").trim();
  expect(readFileSync(join(root, "docs/own-tools.md"), "utf8")).toContain(example);
});

test("the scenario that the documentation prints runs as printed", () => {
  const file = join(root, "examples/look-around.yaml");
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, "notes.txt"), "TODO nothing");
  const text = execFileSync(
    process.execPath,
    [
      join(root, "bin/retinue.js"),
      "run",
      "-p",
      "--rehearse",
      file,
      "--allowedTools",
      "Agent",
      "Look around",
    ],
    {
      cwd,
      encoding: "utf8",
      env: { ...process.env, CLAUDE_CONFIG_DIR: temporaryDirectory() },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  expect(text).toBe("Done. The list of files has 1 lines. Notes: notes.txt\n");
  expect(readFileSync(join(root, "docs/rehearsal.md"), "utf8")).toContain(
    readFileSync(file, "utf8").trim(),
  );
});
