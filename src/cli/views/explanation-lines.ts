import type { Explanation } from "../../resolve/explain.ts";
import { bySeverity } from "../report-diagnostics.ts";
import { labelledLines, type Labelled } from "./labelled-lines.ts";
import { plainLine } from "../terminal/sanitize.ts";

const most = 50;

/** An explanation for people: the outcome and the reasons, in one screen. */
export function explanationLines(
  explanation: Explanation,
  { trusted, width }: { trusted: boolean; width: number },
): string[] {
  const { model, permissionMode, prompt, runs } = explanation;
  const rows: Labelled[] = [
    ["agent", [explanation.type, explanation.description]],
    [
      "file",
      [
        `${explanation.file ?? "given by the host"}  (${explanation.source} ${explanation.priority})`,
      ],
    ],
    [
      "instead of",
      explanation.passedOver.map(({ file, source, why }) => `${file ?? source}: ${why}`),
    ],
    ["model", [`${model.id}  (${model.from})`]],
    [
      "permissions",
      [
        `${permissionMode.mode}  (${permissionMode.from})${trusted ? "" : "; this folder is not trusted"}`,
        ...(permissionMode.refused === null ? [] : [permissionMode.refused]),
      ],
    ],
    [
      "runs",
      [
        `as a child, ${runs.background ? "in the background" : "while its parent waits"}, ${runs.maxTurns} turns, ${runs.timeoutMs / 1000} s at most${runs.priority === 0 ? "" : `, priority ${runs.priority} in line`}`,
      ],
    ],
    ["tools", toolLines(explanation)],
    ["spawns", [spawns(explanation)]],
    ["MCP servers", [list(explanation.mcpServers) + inert(explanation, "mcpServers")]],
    ["hooks", [list(explanation.hooks) + inert(explanation, "hooks")]],
    ["skills", skillLines(explanation)],
    ["memory", [memoryText(explanation)]],
    ["prompt", promptLines(prompt)],
    [
      "problems",
      bySeverity(explanation.diagnostics).map(
        ({ severity, line, message }) => `${severity} in line ${line}: ${message}`,
      ),
    ],
  ];
  const lines = labelledLines(
    rows.map(([name, texts]) => [name, texts.map((text) => plainLine(text))]),
    width,
  );
  return lines.length <= most
    ? lines
    : [
        ...lines.slice(0, most - 1),
        `${" ".repeat(14)}… ${lines.length - most + 1} more lines; --json has all of it`,
      ];
}

/** Lines of tools; those that share their reason share a line. */
function toolLines({ tools, refusal }: Explanation): string[] {
  const groups = Map.groupBy(tools, ({ kept, why, useless }) =>
    useless === null ? `${kept ? "+" : "-"}${why}` : `!${useless}`,
  );
  const lines = [...groups].map(([key, group]) => {
    const names = group.map(({ tool }) => tool).join(", ");
    return `${key.slice(0, 1)} ${names}  (${key.slice(1)})`;
  });
  return refusal === null ? lines : [refusal, ...lines];
}

function spawns({ spawns: rights }: Explanation): string {
  if (!rights.allowed) return "no agents";
  return rights.types === "any" ? "any agent" : list(rights.types);
}

function promptLines({ tokens, cachedPrefix, firstRequestUsd }: Explanation["prompt"]): string[] {
  const all = tokens.tools + tokens.system + tokens.attachments;
  const cost = firstRequestUsd === null ? "price unknown" : `about $${firstRequestUsd.toFixed(4)}`;
  return [
    `about ${all} tokens: tools ${tokens.tools}, system ${tokens.system}, attachments ${tokens.attachments}`,
    `about ${cachedPrefix} of them shared with siblings; first request ${cost}`,
  ];
}

function skillLines(explanation: Explanation): string[] {
  const { skills } = explanation;
  if (skills.length === 0) return [`none${inert(explanation, "skills")}`];
  return skills.map(({ name, file, problem }) => `${name}: ${file ?? problem ?? ""}`);
}

function inert({ diagnostics }: Explanation, field: string): string {
  const held = diagnostics.some((one) => one.code === "inert" && one.field === field);
  return held ? " that act; the file names some, see problems" : "";
}

function memoryText({ memory, diagnostics }: Explanation): string {
  if (memory !== null) return memory;
  const held = diagnostics.some(({ code, field }) => code === "inert" && field === "memory");
  return held ? "none; the file names one, see problems" : "none";
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}
