import { createAgentTool } from "./agents/agent.ts";
import { askUserQuestionTool } from "./agents/ask-user-question.ts";
import { bashTool, foregroundBashTool } from "./shell/bash.ts";
import { editTool } from "./files/edit.ts";
import { exitPlanModeTool } from "./agents/exit-plan-mode.ts";
import { globTool } from "./files/glob.ts";
import { grepTool } from "./files/grep.ts";
import { notebookEditTool } from "./files/notebook-edit.ts";
import { readTool } from "./files/read.ts";
import { taskOutputTool } from "./agents/task-output.ts";
import { taskStopTool } from "./agents/task-stop.ts";
import { todoWriteTool } from "./agents/todo-write.ts";
import type { Tool } from "./tool.ts";
import { webFetchTool } from "./web/web-fetch.ts";
import { webSearchTool } from "./web/web-search.ts";
import { writeTool } from "./files/write.ts";

/** Every tool there is, in the order in which models see them: a stable order keeps the prompt cache warm. */
export function createTools(options: {
  defaultType: string;
  /** Whether the model's provider can search the web. */
  canSearch: boolean;
  /** Whether agents and commands may run in the background of their parent. */
  background: boolean;
  /** Tools of the host, after ours. */
  added?: readonly Tool[];
}): ReadonlyMap<string, Tool> {
  const tools: readonly Tool[] = [
    createAgentTool(options),
    askUserQuestionTool,
    options.background ? bashTool : foregroundBashTool,
    editTool,
    exitPlanModeTool,
    globTool,
    grepTool,
    notebookEditTool,
    readTool,
    ...(options.background ? [taskOutputTool, taskStopTool] : []),
    todoWriteTool,
    webFetchTool,
    ...(options.canSearch ? [webSearchTool] : []),
    writeTool,
    ...(options.added ?? []),
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** The registry for callers that only ask which tools there are. */
export const toolRegistry: ReadonlyMap<string, Tool> = createTools({
  defaultType: "",
  canSearch: true,
  background: true,
});

/** Other names for tools that definitions, rules and models use. */
const aliases: Readonly<Record<string, string>> = {
  Task: "Agent",
  FileRead: "Read",
  FileWrite: "Write",
  FileEdit: "Edit",
};

/** The name of the tool that an entry means: without its rule, `Bash(git diff *)` → `Bash`, and without aliases. */
export function toolName(entry: string): string {
  const name = entry.replace(/\(.*\)$/s, "").trim();
  return Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
}
