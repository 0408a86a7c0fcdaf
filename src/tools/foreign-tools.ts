import { joined, text } from "./line.ts";
import type { ToolTraits } from "./traits.ts";

/** Traits of a tool that is known by name only. */
export const unknownTraits: ToolTraits = { effect: "other", background: false, audience: "all" };

/**
 * Tools of other programs and versions, which definitions, rules and transcripts name. None of them can be called here; their
 * traits keep rules and lists that name them meaningful.
 */
const table: Readonly<Record<string, Partial<ToolTraits>>> = {
  Artifact: { background: true },
  BashOutput: { effect: "look" },
  EndConversation: { audience: "main" },
  EnterPlanMode: { audience: "main", effect: "look" },
  EnterWorktree: { background: true },
  ExitWorktree: { background: true },
  KillShell: {},
  LS: { effect: "look", mainField: "path" },
  ListAgents: { coordinates: true, effect: "look" },
  Monitor: { background: true },
  MultiEdit: { effect: "edit", mainField: "file_path" },
  PowerShell: { background: true },
  ScheduleWakeup: { audience: "main" },
  SendMessage: {
    background: true,
    coordinates: true,
    line: ({ to, summary }) => joined(": ", text(to), text(summary)),
  },
  Skill: { background: true, mainField: "skill" },
  SlashCommand: {},
  TaskCreate: { coordinates: true },
  TaskGet: { coordinates: true, effect: "look" },
  TaskList: { coordinates: true, effect: "look" },
  TaskUpdate: { coordinates: true },
  ToolSearch: { background: true, effect: "look" },
  WaitForMcpServers: { audience: "main" },
  Workflow: { audience: "main" },
};

export const foreignTools: ReadonlyMap<string, ToolTraits> = new Map(
  Object.entries(table).map(([name, traits]) => [name, { ...unknownTraits, ...traits }]),
);
