import { Command, Help, Option } from "commander";
import { version } from "../contract/version.ts";
import { exitCodeHelp } from "./exit-codes.ts";
import { append } from "./option-values.ts";
import {
  addAttach,
  addBackground,
  addKill,
  addSend,
  addStop,
  addWait,
} from "./control-commands.ts";
import { addDoctor, addPrune, addRemove } from "./housekeeping-commands.ts";
import { addLogs, addOutput, addPs } from "./look-commands.ts";
import { addExplain, addPermissions } from "./permission-commands.ts";
import { runOptions } from "./run/run-options.ts";
import { addResume } from "./resume-command.ts";
import { plain } from "./terminal/sanitize.ts";
import { color, here, json } from "./shared-options.ts";

/** The command tree. Each command's code is loaded when it is run. */
export function buildProgram(): Command {
  const program = new Command("retinue")
    .description("Spawn, watch and stop child AI agents.")
    .version(version)
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .addHelpText("after", `\nretinue -p "…" is short for retinue run -p "…".\n${exitCodeHelp}`);
  for (const add of commands) add(program);
  pointToHelp(program, "retinue");
  return program;
}

/** What was typed wrongly is explained by the help of the command that did not understand it. */
function pointToHelp(command: Command, words: string): void {
  command.configureOutput({
    outputError: (text, write) =>
      write(`retinue: ${plain(text).replace(/^error: /, "")}See '${words} --help'.\n`),
  });
  for (const below of command.commands) pointToHelp(below, `${words} ${below.name()}`);
}

/** That nothing was given yet is no default worth saying. */
function optionDescription(this: Help, option: Option): string {
  return Help.prototype.optionDescription.call(this, option).replace(" (default: [])", "");
}

function addRun(program: Command): void {
  runOptions(program.command("run"))
    .description(
      "run a task and wait for its result; a last word '-', or no word at all, reads stdin",
    )
    .argument("[prompt...]", "the task")
    .option("-a, --agent <type>", "agent type of the main agent")
    .addOption(new Option("--agent-type <type>", "the same as --agent").hideHelp())
    .option("--name <name>", "a name by which other commands find the main agent")
    .addHelpText(
      "after",
      `
Unasked an agent may read and search inside the current directory, run commands that only look, and hand
work to children, which the same rules bind. What goes beyond that, and no rule allows, is asked in the live view,
or with --inbox of whoever runs 'retinue approve'; where nobody can answer it is denied, and the line says how to allow it.

A model needs ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN; ANTHROPIC_BASE_URL for another server).

Examples:
  retinue run "Where is the retry logic?"
  git diff | retinue run "Review this change:" - -a Explore --output-format json
  retinue run -d --name fixer "Fix the failing test"; retinue attach fixer

Ten children run at once; CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS changes that.`,
    )
    .action(async (prompt: string[], options) => {
      const { runCommand } = await import("./commands/run.ts");
      await runCommand(prompt, options);
    });
}

function addInit(program: Command): void {
  program
    .command("init")
    .description("write a first agent, its rehearsal and settings into .claude/ of this directory")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Writes .claude/agents/reviewer.md, .claude/rehearsals/reviewer.yaml and .claude/settings.json into the
current directory, also when the repository begins further up. A file that exists is kept as it is.`,
    )
    .action(async (options) => {
      const { initCommand } = await import("./commands/init.ts");
      await initCommand(options);
    });
}

function addDemo(program: Command): void {
  program
    .command("demo")
    .description("watch a lead agent fix a failing test with four children; no key needed")
    .addOption(color())
    .action(async (options) => {
      const { demoCommand } = await import("./commands/demo.ts");
      await demoCommand(options);
    });
}

const requestsElsewhere = `
Looks for requests below the config directory (CLAUDE_CONFIG_DIR, by default ~/.claude). Those of programs that keep their
transcripts elsewhere (configDir, transcriptDir) are answered there.`;

function addApprovals(program: Command): void {
  program
    .command("approvals")
    .description("list what waits for you: questions of agents of all processes")
    .argument("[id]", "one request, with everything in it: id or beginning of an id")
    .option("-a, --all", "what was answered too")
    .option("--json", json)
    .addHelpText("after", requestsElsewhere)
    .action(async (id: string | undefined, options) => {
      const { approvalsCommand } = await import("./commands/approvals.ts");
      await approvalsCommand(id, options);
    });
}

function addApprove(program: Command): void {
  program
    .command("approve")
    .description("let a call run that waits for you, or answer a question")
    .argument("<id>", "id, or beginning of an id, from 'retinue approvals'")
    .addOption(
      new Option(
        "--for <whom>",
        "how long it holds; type: for agents of this type until its file changes",
      )
        .choices(["once", "agent", "session", "type"])
        .conflicts("always"),
    )
    .addOption(
      new Option("--always [file]", "add the rule to settings: local (default), project or user")
        .choices(["local", "project", "user"])
        .preset("local"),
    )
    .option(
      "--rule <rule>",
      "what to allow from now on, instead of what is suggested (repeatable)",
      append,
      [],
    )
    .option("--input <json>", "run this input instead; it is checked like any call")
    .option(
      "--answer <text>",
      "to a question: a label, its number or other words; one for each question",
      append,
      [],
    )
    .addHelpText(
      "after",
      `
Examples:
  retinue approve q1f
  retinue approve q1f --for session --rule "Bash(npm test *)"
  retinue approve q1f --answer "Postgres"
${requestsElsewhere}`,
    )
    .action(async (id: string, options) => {
      const { approveCommand } = await import("./commands/approve.ts");
      await approveCommand(id, options);
    });
}

function addDeny(program: Command): void {
  program
    .command("deny")
    .description("refuse a call that waits for you; the agent reads why and goes on")
    .argument("<id>", "id, or beginning of an id, from 'retinue approvals'")
    .option("--reason <text>", "what the agent should know or do instead")
    .action(async (id: string, options) => {
      const { denyCommand } = await import("./commands/approve.ts");
      await denyCommand(id, options);
    });
}

function addAgents(program: Command): void {
  const agents = program.command("agents").description("agent types: list, show, write");
  here(agents.command("ls"))
    .description("list the agent types that can be spawned here")
    .option("-a, --all", "also files that are shadowed, switched off or not loaded")
    .option("-w, --watch", "list again when a file changes")
    .option("--json", json)
    .action(async (options) => {
      const { agentsListCommand } = await import("./commands/agents.ts");
      await agentsListCommand(options);
    });
  here(agents.command("show"))
    .description("print the definition of an agent type")
    .argument("<type>", "its name")
    .option("--json", json)
    .action(async (type: string, options) => {
      const { agentsShowCommand } = await import("./commands/agents.ts");
      await agentsShowCommand(type, options);
    });
  agents
    .command("new")
    .description("write a new agent file; never over one that is there")
    .argument("<name>", "lower case, digits and dashes")
    .option("--description <text>", "when a parent should hand work to it")
    .option("--tools <tools>", "the tools it may use: Read,Grep")
    .option("--model <model>", "sonnet, opus, haiku or an id")
    .option("--user", "for all your projects instead of this one")
    .action(async (name: string, options) => {
      const { agentsNewCommand } = await import("./commands/agents.ts");
      await agentsNewCommand(name, options);
    });
}

function addLint(program: Command): void {
  here(program.command("lint"))
    .description("check agent files, settings and plugins; exit code 1 when something is broken")
    .argument("[paths...]", "agent files or directories; without any, all that count here")
    .addOption(
      new Option("--format <format>", "what goes to stdout")
        .choices(["text", "json", "sarif"])
        .default("text"),
    )
    .addOption(new Option("--json", "the same as --format json").implies({ format: "json" }))
    .action(async (paths: string[], options) => {
      const { lintCommand } = await import("./commands/lint.ts");
      await lintCommand(paths, options);
    });
}

function addSettings(program: Command): void {
  here(program.command("settings"))
    .description("list the settings that hold here, and which file each comes from")
    .option("--json", json)
    .action(async (options) => {
      const { settingsCommand } = await import("./commands/settings.ts");
      await settingsCommand(options);
    });
}

function addTrust(program: Command): void {
  program
    .command("trust")
    .description("trust the folder of this project, so that its own settings act")
    .argument("[folder]", "a directory of the project; the current one if none is named")
    .addOption(new Option("--revoke", "take the trust back").conflicts("list"))
    .option("--list", "list the folders that are trusted")
    .option("--dry-run", "only say what would act")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Until a folder is trusted, .claude/settings.json and .claude/settings.local.json in it can only deny
and ask. This says what else is in them, and lets it act. Trust is for the repository around the
directory, or without one for the directory alone; repositories inside it stay untrusted. Worktrees
are trusted with their main checkout.`,
    )
    .action(async (folder: string | undefined, options) => {
      const { trustCommand } = await import("./commands/trust.ts");
      await trustCommand(folder, options);
    });
}

const commands = [
  addRun,
  addInit,
  addDemo,
  addPs,
  addLogs,
  addOutput,
  addAttach,
  addWait,
  addSend,
  addStop,
  addKill,
  addResume,
  addBackground,
  addApprovals,
  addApprove,
  addDeny,
  addAgents,
  addExplain,
  addPermissions,
  addLint,
  addSettings,
  addTrust,
  addRemove,
  addPrune,
  addDoctor,
];
