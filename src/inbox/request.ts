import { randomBytes } from "node:crypto";
import { z } from "zod";
import { once } from "../platform/once.ts";

/**
 * One question of one agent, with all that a person needs to answer it. Data from files is checked with these schemas,
 * made when they are needed.
 */
export const inboxRequestSchema = once(() =>
  z.object({
    id: z.string().regex(/^q[0-9a-f]{8}$/),
    /**
     * `permission`: may this call run? `question`: the agent wants to know something (`AskUserQuestion`). `plan`: may it carry
     * out its plan (`ExitPlanMode`)?
     */
    kind: z.enum(["permission", "question", "plan"]),
    sessionId: z.string(),
    agentId: z.string(),
    agentType: z.string(),
    agentName: z.string().nullable(),
    /** The way from the root agent to the one that asks, for people. */
    label: z.array(z.string()),
    /** Hash of the agent's definition: a grant to a type ends when its file changes. */
    definitionHash: z.string(),
    /** The call of the agent's model that it belongs to; left out: it belongs to no single call. */
    toolUseId: z.string().exactOptional(),
    tool: z.string(),
    input: z.record(z.string(), z.unknown()),
    reason: z.string(),
    /** The part of the command that needs approval; `null`: all of it. */
    part: z.string().nullable(),
    /** The mode in which the agent continues if it is allowed; only of a plan. */
    mode: z.string().exactOptional(),
    /** Rules that together would allow the call, and nothing else. */
    suggestions: z.array(z.string()),
    /** Milliseconds since the epoch. */
    createdAt: z.number(),
    /** The time at which `onDeadline` answers; `null`: never. */
    deadline: z.number().nullable(),
    onDeadline: z.enum(["deny", "allow"]),
  }),
);

export type InboxRequest = Readonly<z.infer<ReturnType<typeof inboxRequestSchema>>>;

/** The reach of an answer. `agent-always`: agents of this type, as long as its definition stays as it is. */
export const grantScopes = ["once", "agent", "session", "agent-always", "always"] as const;
export type GrantScope = (typeof grantScopes)[number];

export const ruleFiles = ["local", "project", "user"] as const;
export type RuleFile = (typeof ruleFiles)[number];

export const answerSchema = once(() =>
  z.discriminatedUnion("verdict", [
    z.strictObject({
      verdict: z.literal("allow"),
      scope: z.enum(grantScopes),
      /** Rules to allow from now on; left out: the suggested ones. */
      rules: z.array(z.string().trim().min(1)).min(1).optional(),
      /** The settings file of `always`; left out: local. */
      file: z.enum(ruleFiles).optional(),
      /** Input that runs instead of the requested one, after it was checked like any call. */
      input: z.record(z.string(), z.unknown()).optional(),
    }),
    z.strictObject({ verdict: z.literal("deny"), message: z.string().optional() }),
    /** Answers to questions: by the text of each question, one answer or several. */
    z.strictObject({
      verdict: z.literal("reply"),
      answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    }),
  ]),
);

export type Answer = z.infer<ReturnType<typeof answerSchema>>;
export type AllowAnswer = Extract<Answer, { verdict: "allow" }>;

/** `by`: `host`, `terminal`, `check`, `deadline`, `nobody`, or a name. */
export interface Answered {
  readonly answer: Answer;
  readonly by: string;
}

/** A new id: short enough to type, and of no use if guessed, since the directory protects a request. */
export function newRequestId(): string {
  return `q${randomBytes(4).toString("hex")}`;
}
