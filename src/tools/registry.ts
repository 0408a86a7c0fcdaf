import { createAgentTool } from "./agent.ts";
import { askUserQuestionTool } from "./ask-user-question.ts";
import { bashTool, foregroundBashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { notebookEditTool } from "./notebook-edit.ts";
import { readTool } from "./read.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";
import { todoWriteTool } from "./todo-write.ts";
import type { Tool } from "./tool.ts";
import { webFetchTool } from "./web-fetch.ts";
import { webSearchTool } from "./web-search.ts";
import { writeTool } from "./write.ts";

/** Every tool there is, in the order in which models see them: a stable order keeps the prompt cache warm. */
export function createTools(options: {
  defaultType: string;
  /** The model's provider can search the web. */
  canSearch: boolean;
  /** Agents and commands may run while their parent goes on. */
  background: boolean;
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
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** For whoever only asks which tools there are. */
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
