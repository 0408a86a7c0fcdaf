import type { Command } from "commander";
import type { AuditFact } from "../../inbox/audit.ts";
import { findRequests, findSettled, type FoundRequest } from "../../inbox/find-requests.ts";
import { defaultConfigDir } from "../../transcript/paths.ts";
import { table } from "../terminal/columns.ts";
import { findRequest } from "../inbox/find-request.ts";
import { formatDuration } from "../terminal/format.ts";
import { literalLine } from "../terminal/literal.ts";
import { askerPath, callLine, endedNote, requestLines } from "../views/request-lines.ts";
import { plainLine } from "../terminal/sanitize.ts";
import { json, requestsElsewhere } from "../options/shared-options.ts";

interface ApprovalsOptions {
  all?: boolean;
  json?: boolean;
}

export function addApprovals(program: Command): void {
  program
    .command("approvals")
    .description("list the requests that wait for you, from agents of all processes")
    .argument("[id]", "show one request in full: its id, or a prefix of it")
    .option("-a, --all", "also list answered requests")
    .option("--json", json)
    .addHelpText("after", requestsElsewhere)
    .action(approvalsCommand);
}

/** `retinue approvals`: requests that wait for a person, of all processes; or one request in full. */
async function approvalsCommand(id: string | undefined, options: ApprovalsOptions): Promise<void> {
  if (id === undefined) list(options);
  else show(findRequest(id), options);
}

function show(found: FoundRequest, options: ApprovalsOptions): void {
  const text =
    options.json === true
      ? JSON.stringify(jsonRow(found), null, 2)
      : requestLines(found, Date.now()).join("\n");
  process.stdout.write(`${text}\n`);
}

function list(options: ApprovalsOptions): void {
  const open = findRequests(defaultConfigDir());
  const settled = options.all === true ? findSettled(defaultConfigDir()) : [];
  if (options.json === true) {
    const rows = [...settled.map(settledJson), ...open.map(jsonRow)];
    process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  if (open.length === 0 && settled.length === 0) {
    process.stderr.write(
      options.all === true
        ? "No agent has asked anything yet.\n"
        : "No request waits for you. 'retinue approvals --all' lists answered ones.\n",
    );
    return;
  }
  const now = Date.now();
  const rows = [
    ...settled.map((fact) => settledRow(fact, now)),
    ...open.map((found) => row(found, now)),
  ];
  process.stdout.write(table([headings, ...rows]));
  if (open.length > 0)
    process.stderr.write(
      "'retinue approvals ID' shows one in full; 'retinue approve ID' and 'retinue deny ID' answer it.\n",
    );
}

const headings = ["ID", "AGE", "AGENT", "CALL", "RULE", "REASON"];

function row({ request, processEnded }: FoundRequest, now: number): string[] {
  const reason = plainLine(request.reason);
  return [
    request.id,
    formatDuration(now - request.createdAt),
    askerPath(request),
    callLine(request),
    literalLine(request.suggestions[0] ?? ""),
    processEnded ? `${endedNote} ${reason}` : reason,
  ];
}

/** The row of a settled request. The log keeps the beginning of an input that is too long, as text. */
function settledRow(fact: AuditFact, now: number): string[] {
  return [
    plainLine(fact.id),
    formatDuration(now - Date.parse(fact.at)),
    askerPath(fact),
    callLine({ tool: fact.tool, input: typeof fact.input === "object" ? fact.input : {} }),
    literalLine(fact.rules?.join(", ") ?? ""),
    plainLine(outcome(fact)),
  ];
}

function outcome({ fact, verdict, scope, by, message }: AuditFact): string {
  if (fact === "withdrawn") return "withdrawn";
  const what = { allow: `allowed (${scope ?? "once"})`, deny: "denied", reply: "answered" };
  const why = message === undefined ? "" : `: ${message}`;
  return `${what[verdict ?? "deny"]} by ${by ?? "nobody"}${why}`;
}

function jsonRow({ request, processEnded }: FoundRequest): object {
  return { ...request, state: processEnded ? "interrupted" : "open" };
}

function settledJson({ fact, ...rest }: AuditFact): object {
  return { ...rest, state: fact };
}
