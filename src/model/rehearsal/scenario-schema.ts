import { z } from "zod";
import { groupCount, patternProblem } from "./pattern.ts";
import type { ReplyBlock, WrittenScenario } from "./scenario.ts";
import { templateProblems } from "./template.ts";

/** Scenario files as people write them. Unknown keys are refused, so that a misspelt one is never ignored. */
const pattern = z.string().superRefine((text, context) => {
  const problem = patternProblem(text);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

const template = z.string().superRefine(checkTemplates);

const replyBlock = object({
  thinking: template.optional(),
  text: template.optional(),
  call: z.string().min(1).optional(),
  input: z.record(z.string(), z.unknown()).superRefine(checkTemplates).optional(),
}).transform((block, context): ReplyBlock => {
  const { thinking, text, call, input } = block;
  const kinds = [thinking, text, call].filter((kind) => kind !== undefined);
  if (kinds.length !== 1 || (call === undefined && input !== undefined)) {
    context.addIssue({
      code: "custom",
      message: "write one of thinking:, text: or call: (with its input:) per entry of a reply",
    });
  }
  if (call !== undefined) return { call, input: input ?? {} };
  return text === undefined ? { thinking: thinking ?? "" } : { text };
});

const count = z.int().nonnegative();

const turn = object({
  agent: z.string().min(1).optional(),
  task: pattern.optional(),
  turn: z.int().positive().optional(),
  last: pattern.optional(),
  reply: z.preprocess(
    (reply) => (typeof reply === "string" ? [{ text: reply }] : reply),
    z.array(replyBlock),
  ),
  stop: z.enum(["end_turn", "tool_use", "max_tokens", "stop_sequence", "refusal"]).optional(),
  usage: object({
    input: count.default(0),
    output: count.default(0),
    cacheRead: count.default(0),
    cacheWrite: count.default(0),
  }).optional(),
  fault: object({
    kind: z.enum([
      "rate-limit",
      "overload",
      "server-error",
      "stall",
      "broken-stream",
      "malformed-call",
    ]),
    times: z.int().positive().default(1),
    retryAfter: z.number().nonnegative().optional(),
  }).optional(),
  repeat: z.boolean().default(false),
}).superRefine((turn, context) => {
  const add = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  const groups = { match: groupsOf(turn.last), task: groupsOf(turn.task) };
  for (const { path, message } of templateProblems(turn.reply, groups)) {
    add(["reply", ...path], message);
  }
  const { fault } = turn;
  if (fault?.kind === "malformed-call" && !turn.reply.some((block) => "call" in block)) {
    add(["fault"], "malformed-call needs a call: in the reply");
  }
  if (fault?.retryAfter !== undefined && !["rate-limit", "overload"].includes(fault.kind)) {
    add(["fault", "retryAfter"], "only rate-limit and overload have a retryAfter: leave it out");
  }
});

const expectation = object({
  agent: z.string().min(1).optional(),
  task: pattern.optional(),
  count: count.optional(),
  state: z.enum(["completed", "failed", "stopped"]).optional(),
  tools: z.array(z.string()).optional(),
  result: pattern.optional(),
  unused: count.optional(),
}).superRefine((expectation, context) => {
  const { unused, ...agents } = expectation;
  const keys = Object.keys(agents).length;
  if (unused === undefined ? keys > 0 : keys === 0) return;
  const message =
    unused === undefined
      ? "an empty expectation expects nothing: write agent: or unused:"
      : "write unused: as an entry of its own";
  context.addIssue({ code: "custom", message });
});

export const scenarioSchema: z.ZodType<WrittenScenario> = object({
  name: z.string().min(1).optional(),
  speed: z.number().nonnegative().default(0),
  turns: z.array(turn).min(1),
  expect: z.array(expectation).default([]),
});

function object<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown key ${issue.keys.map((key) => `"${key}"`).join(", ")}; write one of ${Object.keys(shape).join(", ")}`
        : undefined,
  });
}

function checkTemplates(value: unknown, context: z.RefinementCtx): void {
  for (const { path, message } of templateProblems(value)) {
    context.addIssue({ code: "custom", path, message });
  }
}

function groupsOf(text: string | undefined): number {
  return text === undefined || patternProblem(text) !== undefined ? 0 : groupCount(text);
}
