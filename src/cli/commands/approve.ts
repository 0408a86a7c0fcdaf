import { Option, type Command } from "commander";
import { RetinueError } from "../../contract/errors.ts";
import { answerRequest } from "../../control/answer-request.ts";
import { fitAnswer } from "../../inbox/fit-answer.ts";
import type { FoundRequest } from "../../inbox/find-requests.ts";
import type { Answer, GrantScope, RuleFile } from "../../inbox/request.ts";
import { isObject } from "../../platform/is-object.ts";
import { Caller } from "../find/caller.ts";
import { findRequest } from "../inbox/find-request.ts";
import { literalLine } from "../terminal/literal.ts";
import { replyTo } from "../inbox/reply-to.ts";
import { askerPath, callLine } from "../views/request-lines.ts";
import { append } from "../options/option-values.ts";
import { requestsElsewhere } from "../options/shared-options.ts";

export interface ApproveOptions {
  for?: "once" | "agent" | "session" | "type";
  always?: RuleFile;
  rule: string[];
  input?: string;
  answer: string[];
}

export function addApprove(program: Command): void {
  program
    .command("approve")
    .description("allow a tool call that waits for you, or answer a question")
    .argument("<id>", "id, or prefix of an id, from 'retinue approvals'")
    .addOption(
      new Option(
        "--for <whom>",
        "how long the permission is valid; type: for agents of this type, until their file changes",
      )
        .choices(["once", "agent", "session", "type"])
        .conflicts("always"),
    )
    .addOption(
      new Option("--always [file]", "settings file for the rule: local (default), project or user")
        .choices(["local", "project", "user"])
        .preset("local"),
    )
    .option(
      "--rule <rule>",
      "rule to allow from now on, instead of the suggested one (repeatable)",
      append,
      [],
    )
    .option("--input <json>", "run the call with this input instead; it is checked like any call")
    .option(
      "--answer <text>",
      "answer to a question: a label, its number or your own words; once for each question",
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
    .action(approveCommand);
}

export function addDeny(program: Command): void {
  program
    .command("deny")
    .description("deny a tool call that waits for you; the agent reads the reason and continues")
    .argument("<id>", "id, or prefix of an id, from 'retinue approvals'")
    .option("--reason <text>", "the reason, or what the agent should do instead")
    .action(denyCommand);
}

/** `retinue approve`: lets a call of an agent in any process run, or answers its question. */
async function approveCommand(id: string, options: ApproveOptions): Promise<void> {
  const found = await findAsPerson(id);
  await give(found, answerOf(found, options));
}

/** `retinue deny`: the agent reads the denial and its reason. A request whose process has ended is removed. */
async function denyCommand(id: string, options: { reason?: string }): Promise<void> {
  const found = await findAsPerson(id);
  if (found.processEnded) {
    found.files.remove(found.request.id);
    process.stdout.write(`${found.request.id} removed: the process that asked has ended.\n`);
    return;
  }
  const message = options.reason === undefined ? {} : { message: options.reason };
  await give(found, { verdict: "deny", ...message });
}

/** Finds a request; throws inside an agent. A process that the asking one has started is no person either. */
async function findAsPerson(id: string): Promise<FoundRequest> {
  const caller = await Caller.read();
  if (!caller.isPerson) throw caller.refusal("answer");
  const found = findRequest(id);
  if (!found.processEnded && caller.above.some(({ pid }) => pid === found.pid))
    throw caller.refusal("answer");
  return found;
}

function answerOf({ request }: FoundRequest, options: ApproveOptions): Answer {
  if (options.answer.length > 0) return replyTo(request, options.answer);
  return {
    verdict: "allow",
    scope: scopeOf(options),
    ...(options.rule.length === 0 ? {} : { rules: options.rule }),
    ...(options.always === undefined ? {} : { file: options.always }),
    ...(options.input === undefined ? {} : { input: parseInput(options.input) }),
  };
}

function scopeOf(options: ApproveOptions): GrantScope {
  if (options.always !== undefined) return "always";
  return options.for === "type" ? "agent-always" : (options.for ?? "once");
}

function parseInput(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw new RetinueError(
    "invalid_request",
    `--input must be a JSON object, the whole input of the call: '{"command": "…"}'. Correct it.`,
  );
}

async function give(found: FoundRequest, given: Answer): Promise<void> {
  const answer = fitAnswer(found.request, given);
  await answerRequest(found, answer);
  const { request } = found;
  process.stdout.write(
    `${request.id} ${said(answer)}: ${askerPath(request)}  ${callLine(request)}\n`,
  );
}

function said(answer: Answer): string {
  if (answer.verdict !== "allow") return answer.verdict === "deny" ? "denied" : "answered";
  const rules = answer.rules === undefined ? "" : ` by ${literalLine(answer.rules.join(", "))}`;
  const changed =
    answer.input === undefined ? "" : ", with a changed input, which is checked first";
  const scope = answer.scope === "agent-always" ? "type" : answer.scope;
  return `allowed (${scope})${rules}${changed}`;
}
