import { join } from "node:path";
import type { Command } from "commander";
import type { Candidate } from "../../definitions/catalog.ts";
import { printDefinition } from "../../definitions/print-definition.ts";
import { sources } from "../../definitions/sources.ts";
import { splitTools } from "../../definitions/tool-list.ts";
import type { Diagnostic } from "../../contract/diagnostic.ts";
import { errorMessage, RetinueError } from "../../contract/errors.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import type { AgentDefinition } from "../../definitions/definition.ts";
import { refusalOf } from "../../resolve/refusal.ts";
import { mustBePerson } from "../find/caller.ts";
import { table } from "../terminal/columns.ts";
import { placeFiles } from "../find/place-files.ts";
import { readHere, type HereOptions } from "../run/read-here.ts";
import { reportDiagnostics } from "../report-diagnostics.ts";
import { plain, plainLine } from "../terminal/sanitize.ts";
import { hereOptions, json } from "../options/shared-options.ts";

interface ListOptions extends HereOptions {
  json?: boolean;
  all?: boolean;
  watch?: boolean;
}

export function addAgents(program: Command): void {
  const agents = program.command("agents").description("agent types: list, show, write");
  hereOptions(agents.command("ls"))
    .description("list the agent types that can be spawned here")
    .option("-a, --all", "also list files that are shadowed, switched off or not loaded")
    .option("-w, --watch", "list again when a file changes")
    .option("--json", json)
    .action(agentsListCommand);
  hereOptions(agents.command("show"))
    .description("print the definition of an agent type")
    .argument("<type>", "its name")
    .option("--json", json)
    .action(agentsShowCommand);
  agents
    .command("new")
    .description("write a new agent file; an existing file is never overwritten")
    .argument("<name>", "lower case, digits and dashes")
    .option("--description <text>", "when a parent should give it work")
    .option("--tools <tools>", "the tools it may use: Read,Grep")
    .option("--model <model>", "sonnet, opus, haiku or an id")
    .option("--user", "for all your projects instead of this one")
    .action(agentsNewCommand);
}

/** `retinue agents ls`: the types that can be spawned from here, and what is wrong with files that cannot. */
async function agentsListCommand(options: ListOptions): Promise<void> {
  const { configuration } = await list(options);
  if (options.watch !== true) return;
  configuration.loader.onChange(() => {
    process.stdout.write("\n");
    list(options).catch((error: unknown) =>
      process.stderr.write(`retinue: ${plain(errorMessage(error))}\n`),
    );
  });
  // Runs until it is interrupted.
  await new Promise(() => setInterval(() => undefined, 2 ** 30));
}

async function list(options: ListOptions): Promise<Awaited<ReturnType<typeof readHere>>> {
  const here = await readHere(options);
  const { catalog, diagnostics } = here;
  const candidates = catalog
    .candidates()
    .filter(({ passedOver }) => options.all === true || passedOver === null);
  const rejected = options.all === true ? rejectedFiles(diagnostics) : [];
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify([...candidates.map((one) => document(one, diagnostics)), ...rejected], null, 2)}\n`
      : typesTable(candidates, rejected, options),
  );
  reportDiagnostics(diagnostics);
  return here;
}

function document(
  { definition, passedOver }: Candidate,
  diagnostics: readonly Diagnostic[],
): object {
  const { name, description, source, file, tools, disallowedTools, model } = definition;
  return {
    name,
    description,
    source,
    file,
    priority: sources[source],
    tools: tools ?? "*",
    disallowedTools: disallowedTools ?? [],
    model: model ?? "inherit",
    passedOver,
    refusal: refusalOf(definition)?.message ?? null,
    diagnostics: diagnostics.filter((diagnostic) => diagnostic.file === file),
  };
}

interface Rejected {
  name: string | null;
  file: string;
  rejected: true;
  diagnostics: Diagnostic[];
}

function rejectedFiles(diagnostics: readonly Diagnostic[]): Rejected[] {
  const unread = diagnostics.filter(({ code, severity, file }) => {
    return file.endsWith(".md") && (severity === "error" || code === "unreadable");
  });
  return [...Map.groupBy(unread, ({ file }) => file)].map(([file, found]) => ({
    name: found.find(({ agent }) => agent !== undefined)?.agent ?? null,
    file,
    rejected: true,
    diagnostics: found,
  }));
}

function typesTable(
  candidates: readonly Candidate[],
  rejected: readonly Rejected[],
  { all }: ListOptions,
): string {
  const head = ["NAME", "SOURCE", "MODEL", all === true ? "STATE" : "DESCRIPTION"];
  const rows = [
    ...candidates.map(({ definition, passedOver }) => [
      definition.name,
      definition.source,
      definition.model ?? "inherit",
      all === true
        ? `${passedOver ?? stateOf(definition)}  ${definition.file ?? ""}`
        : definition.description,
    ]),
    ...rejected.map(({ name, file, diagnostics }) => [
      name ?? "?",
      "-",
      "-",
      `not loaded: ${diagnostics[0]?.message ?? ""}  ${file}`,
    ]),
  ];
  const texts = rows.map((row) => row.map((text) => plainLine(text)));
  return table([head, ...texts]);
}

function stateOf(definition: AgentDefinition): string {
  const refusal = refusalOf(definition);
  return refusal === null ? "used" : `refused: ${refusal.message}`;
}

/** `retinue agents show`: one type as the file that it is, or would be. */
async function agentsShowCommand(
  type: string,
  options: HereOptions & { json?: boolean },
): Promise<void> {
  const { catalog } = await readHere(options);
  const definition = catalog.find(type);
  if (definition === undefined) throw catalog.notFound(type);
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(definition, null, 2)}\n`);
    return;
  }
  const from = `${definition.source} ${sources[definition.source]}`;
  process.stderr.write(`retinue: ${plainLine(definition.file ?? "given by the host")} (${from})\n`);
  process.stdout.write(plain(printDefinition(definition)));
}

function betterName(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.length === 0 ? "code-reviewer" : words.join("-").slice(0, 64);
}

/** `retinue agents new`: a first version of an agent file; never over one that is there. */
async function agentsNewCommand(
  name: string,
  options: { description?: string; tools?: string; model?: string; user?: boolean },
): Promise<void> {
  await mustBePerson("write agents this way");
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    throw new RetinueError(
      "invalid_request",
      `'${name}' is not a good name for an agent: other programs expect lower case, digits and dashes. Try '${betterName(name)}'.`,
    );
  }
  const text = printDefinition({
    name,
    description:
      options.description ?? "Use this agent when … (say when a parent should hand work to it)",
    prompt:
      "You … (say what this agent does, how it should work, and what its last message must contain: that is all its parent sees).",
    ...(options.tools === undefined ? {} : { tools: splitTools(options.tools) }),
    ...(options.model === undefined ? {} : { model: options.model }),
  });
  const root = options.user === true ? defaultConfigDir() : process.cwd();
  const path = join(options.user === true ? "agents" : ".claude/agents", `${name}.md`);
  const [placed] = await placeFiles(root, [{ path, content: Buffer.from(text) }]);
  if (placed?.state === "kept") {
    throw new RetinueError(
      "storage",
      `${join(root, path)} already exists and was not changed. Choose another name, or edit the file.`,
    );
  }
  process.stdout.write(`${plain(join(root, path))}\n`);
  process.stderr.write(`retinue: edit it, then check it with 'retinue explain ${name}'.\n`);
}
