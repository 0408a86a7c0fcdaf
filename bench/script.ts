import { join } from "node:path";
import { toolResults, userText, type MessagesRequest } from "./messages-request.ts";

/**
 * The reply of the fake model. It keeps no state: the asker and its progress are read from the request, so that agents
 * may arrive in any order. A mark in the prompt tells the agents apart.
 */
export function replyTo(request: MessagesRequest, directory: string): Reply {
  const speaker = speakerOf(request);
  const results = toolResults(request).length;
  if (speaker.kind === "main") {
    if (speaker.children === 0 || results > 0) return { text: finalAnswer };
    const name = toolNamed("agent", request);
    return {
      calls: numbers(speaker.children).map((child) => ({ name, input: delegation(child) })),
    };
  }
  if (results >= filesPerChild) return { text: reportOf(speaker.child) };
  const file_path = join(directory, fileName(speaker.child, results));
  return { calls: [{ name: toolNamed("read", request), input: { file_path } }] };
}

export type Reply = { text: string } | { calls: readonly Call[] };

export interface Call {
  name: string;
  input: Record<string, unknown>;
}

/** Number of children that the main agent asks for, all in one turn. `S3q`: as S3, but most of them have to queue. */
export const workloads = { S4: 0, S1: 1, S2: 10, S3: 50, S3q: 50 } as const;

export type Workload = keyof typeof workloads;

export const filesPerChild = 3;

export const finalAnswer = "Every report is in.";

export type Speaker = { kind: "main"; children: number } | { kind: "child"; child: number };

/**
 * Identifies the asker. Throws when the request is not of this bench; a client that sends others is measured wrongly.
 */
export function speakerOf(request: MessagesRequest): Speaker {
  const [, kind, number] = /\[bench (main|child) (\d+)\]/.exec(userText(request)) ?? [];
  if (kind === "main") return { kind, children: Number(number) };
  if (kind === "child") return { kind, child: Number(number) };
  throw new Error("A request without the mark of the bench. Send the prompt unchanged.");
}

export function mainPrompt(workload: Workload): string {
  return `[bench main ${workloads[workload]}] Hand out the reading, then say when every report is in.`;
}

export function reportOf(child: number): string {
  return `Child ${child} of the bench has read its files.`;
}

/** The name of a file. No two children read the same one. */
export function fileName(child: number, step: number): string {
  return `module-${child * filesPerChild + step}.ts`;
}

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function delegation(child: number): Record<string, unknown> {
  return {
    description: `Read files, part ${child}`,
    prompt: `[bench child ${child}] Read ${filesPerChild} files one after the other, then report.`,
    subagent_type: "general-purpose",
  };
}

function toolNamed(wanted: string, { tools }: MessagesRequest): string {
  const tool = tools.find(({ name }) => name.toLowerCase() === wanted);
  if (tool !== undefined) return tool.name;
  const offered = tools.map(({ name }) => name).join(", ") || "none";
  throw new Error(`The request offers no tool '${wanted}' (offered: ${offered}).`);
}
