import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Command } from "commander";
import { createPatch } from "diff";
import { packagePath } from "../../contract/package-path.ts";
import { createManager } from "../../manager.ts";
import { createRehearsal } from "../../model/rehearsal/rehearsal.ts";
import { loadScenario } from "../../model/rehearsal/scenario.ts";
import { ownProgram } from "../../platform/own-programs.ts";
import { checkExpectations } from "../../model/rehearsal/expectations.ts";
import { exitCodeOfResult, exitCodeOfSignal, exitCodes } from "../exit-codes.ts";
import { AgentObserver } from "../views/observe-agents.ts";
import { plain } from "../terminal/sanitize.ts";
import { createStyle, wantsColor, type ColorChoice, type Style } from "../terminal/style.ts";
import { summaryTable } from "../views/summary-table.ts";
import { createView, watchRun } from "../run/watch-run.ts";
import { color } from "../options/shared-options.ts";

const demoDirectory = packagePath("demo");
const allowedTools = ["Agent", "Bash", "Bash(node *)", "Edit"];

export function addDemo(program: Command): void {
  program
    .command("demo")
    .description("watch a lead agent fix a failing test with four children; no key needed")
    .addOption(color())
    .action(demoCommand);
}

/** `retinue demo`: a real repository in a temporary directory, real tools, scripted replies. */
async function demoCommand(options: { color: ColorChoice }): Promise<void> {
  const { stdout } = process;
  const enabled = wantsColor({
    choice: options.color,
    environment: process.env,
    isTTY: stdout.isTTY,
  });
  const style = createStyle(enabled);
  const place = prepare();
  const scenario = await loadScenario(join(demoDirectory, "scenario.yaml"));
  const model = createRehearsal(scenario);
  stdout.write(opening(place.repository, style));

  const manager = createManager({
    model,
    cwd: place.repository,
    configDir: place.config,
    allowedTools,
    entrypoint: "cli",
  });
  const view = createView(stdout, { style, scripted: model.scripted });
  const observer = new AgentObserver();
  const prompt =
    "`npm test` fails in this repository. Find out why, fix it and have the fix checked.";
  const { result, interrupted } = await watchRun(
    manager,
    () => manager.main({ prompt, description: "Fix a failing test" }),
    {
      apply: (event) => {
        observer.apply(event);
        view.apply(event);
      },
      log: (text) => view.log(text),
    },
  ).finally(() => view.stop());

  if (interrupted !== null) {
    process.stderr.write(
      `retinue: interrupted by ${interrupted}; the agents and their processes have ended.\n`,
    );
    process.exitCode = exitCodeOfSignal(interrupted);
    return;
  }
  const width = stdout.columns || 120;
  const table = summaryTable(view.run, { width, now: Date.now(), scripted: model.scripted, style });
  stdout.write(
    `\n${table.join("\n")}\n\n${plain(result.content)}\n\n${changes(place.repository, style)}\n`,
  );
  stdout.write(closing(place, manager.transcripts.main, style));

  const broken = checkExpectations(scenario, observer.all(), model.unusedTurns());
  for (const sentence of broken) process.stderr.write(`retinue: ${plain(sentence)}\n`);
  process.exitCode = broken.length > 0 ? exitCodes.failed : exitCodeOfResult(result);
}

interface DemoDirectories {
  repository: string;
  config: string;
}

function prepare(): DemoDirectories {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "retinue-demo-")));
  const repository = join(root, "basket");
  cpSync(join(demoDirectory, "repo"), repository, { recursive: true });
  const config = join(root, "config");
  mkdirSync(config, { mode: 0o700 });
  commitEverything(repository);
  return { repository, config };
}

/** Makes the directory a repository like any other. Without git it stays a plain directory. */
function commitEverything(directory: string): void {
  const identity = [
    "-c",
    "user.name=Retinue demo",
    "-c",
    "user.email=demo@example.invalid",
    "-c",
    "commit.gpgsign=false",
  ];
  const git = ownProgram("git");
  const env = { ...process.env, PATH: git.path };
  try {
    for (const args of [
      ["init", "-q", "-b", "main"],
      ["add", "."],
      ["commit", "-q", "-m", "A basket"],
    ]) {
      execFileSync(git.file, [...identity, ...args], { cwd: directory, env, stdio: "ignore" });
    }
  } catch {
    // Nothing in the demo depends on it.
  }
}

function changes(repository: string, style: Style): string {
  const original = join(demoDirectory, "repo");
  const files = readdirSync(original, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const patches = files.flatMap((entry) => {
    const name = join(entry.parentPath, entry.name).slice(original.length + 1);
    const [before, after] = [original, repository].map((root) =>
      readFileSync(join(root, name), "utf8"),
    );
    return before === after ? [] : [createPatch(name, before ?? "", after ?? "")];
  });
  const lines = patches
    .join("\n")
    .split("\n")
    .filter((line) => !/^(Index:|={3,}|\\ )/.test(line));
  return lines
    .map((line) => paintDiff(plain(line), style))
    .join("\n")
    .trimEnd();
}

function paintDiff(line: string, style: Style): string {
  if (line.startsWith("+")) return style.green(line);
  return line.startsWith("-") ? style.red(line) : line;
}

function opening(repository: string, style: Style): string {
  return [
    style.bold("A lead agent and four children fix a failing test."),
    `Replies are ${style.bold("scripted")}, tools are ${style.bold("real")}: they read, search, edit and test ${repository}`,
    `Allowed for this demo, besides reading: ${allowedTools.join(", ")}`,
    "\n",
  ].join("\n");
}

function closing(place: DemoDirectories, transcript: string, style: Style): string {
  const [example, guide] = ["examples/look-around.yaml", "docs/rehearsal.md"].map((file) =>
    relative(process.cwd(), packagePath(file)),
  );
  return [
    "",
    `${style.bold("Transcripts")}  ${transcript} and, beside it, subagents/`,
    `${style.bold("Look again")}   CLAUDE_CONFIG_DIR=${place.config} npx retinue ps -a   (then: logs ID, output ID)`,
    `${style.bold("Your own")}     npx retinue run --rehearse ${example} "Look around"   (${guide})`,
    `${style.bold("Real model")}   ANTHROPIC_API_KEY=… npx retinue run "…"`,
    "",
  ].join("\n");
}
