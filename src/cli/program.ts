import { Command, Help, type Option } from "commander";
import { version } from "../contract/version.ts";
import { exitCodeHelp } from "./exit-codes.ts";
import { plain } from "./terminal/sanitize.ts";

/** The command tree for a command line: the command that its first word names, or all of them if it names none. */
export async function buildProgram([word = ""]: readonly string[]): Promise<Command> {
  const program = new Command("retinue")
    .description("Spawn, watch and stop child AI agents.")
    .version(version)
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true, optionDescription })
    .addHelpText("after", `\nretinue -p "…" is short for retinue run -p "…".\n${exitCodeHelp}`);
  const named = commands.get(word);
  const loads = named === undefined ? [...commands.values()] : [named];
  for (const add of await Promise.all(loads.map((load) => load()))) add(program);
  pointToHelp(program, "retinue");
  return program;
}

/** Each command and its module, which holds its flags and its code, in the order of the help. */
const commands: ReadonlyMap<string, () => Promise<(program: Command) => void>> = new Map([
  ["run", async () => (await import("./commands/run.ts")).addRun],
  ["init", async () => (await import("./commands/init.ts")).addInit],
  ["demo", async () => (await import("./commands/demo.ts")).addDemo],
  ["ps", async () => (await import("./commands/ps.ts")).addPs],
  ["logs", async () => (await import("./commands/logs.ts")).addLogs],
  ["output", async () => (await import("./commands/output.ts")).addOutput],
  ["attach", async () => (await import("./commands/attach.ts")).addAttach],
  ["wait", async () => (await import("./commands/wait.ts")).addWait],
  ["send", async () => (await import("./commands/send.ts")).addSend],
  ["stop", async () => (await import("./commands/stop.ts")).addStop],
  ["kill", async () => (await import("./commands/stop.ts")).addKill],
  ["resume", async () => (await import("./commands/resume.ts")).addResume],
  ["background", async () => (await import("./commands/background.ts")).addBackground],
  ["approvals", async () => (await import("./commands/approvals.ts")).addApprovals],
  ["approve", async () => (await import("./commands/approve.ts")).addApprove],
  ["deny", async () => (await import("./commands/approve.ts")).addDeny],
  ["agents", async () => (await import("./commands/agents.ts")).addAgents],
  ["explain", async () => (await import("./commands/explain.ts")).addExplain],
  ["permissions", async () => (await import("./commands/permissions.ts")).addPermissions],
  ["lint", async () => (await import("./commands/lint.ts")).addLint],
  ["settings", async () => (await import("./commands/settings.ts")).addSettings],
  ["trust", async () => (await import("./commands/trust.ts")).addTrust],
  ["rm", async () => (await import("./commands/rm.ts")).addRm],
  ["prune", async () => (await import("./commands/prune.ts")).addPrune],
  ["doctor", async () => (await import("./commands/doctor.ts")).addDoctor],
]);

/** Ends each usage error with a pointer to the help of the command that did not understand it. */
function pointToHelp(command: Command, words: string): void {
  command.configureOutput({
    outputError: (text, write) =>
      write(`retinue: ${plain(text).replace(/^error: /, "")}See '${words} --help'.\n`),
  });
  for (const below of command.commands) pointToHelp(below, `${words} ${below.name()}`);
}

/** Leaves out `(default: [])`: an empty list is no default worth printing. */
function optionDescription(this: Help, option: Option): string {
  return Help.prototype.optionDescription.call(this, option).replace(" (default: [])", "");
}
