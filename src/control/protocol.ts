import { z } from "zod";
import type { AgentEvent } from "../events/event.ts";
import { isObject } from "../platform/is-object.ts";

/**
 * The protocol on the socket of a session: one JSON object per line, in both directions. Each request carries the token
 * of the lease, and gets one answer with its `id`. After the answer to `events` come lines with the same `id` and an
 * event, until one says `done`. A request that speaks as the user names its process, and gets a challenge first: the
 * client shows the sign for its line (`processes/sign.ts`), sends `signed`, and then gets its answer.
 */
const id = z.string().min(1).max(200);

export const requestSchema = z
  .object({
    id: z.union([z.int(), z.string().max(64)]),
    token: z.string().max(200),
    /** Pid of the asking process, for requests that speak as the user. */
    pid: z.int().positive().exactOptional(),
  })
  .and(
    z.discriminatedUnion("method", [
      z.object({ method: z.literal("hello"), params: z.object({}).optional() }),
      z.object({
        method: z.literal("list"),
        params: z.object({ all: z.boolean().exactOptional() }),
      }),
      z.object({ method: z.literal("get"), params: z.object({ id }) }),
      z.object({
        method: z.literal("output"),
        params: z.object({
          id,
          block: z.boolean().exactOptional(),
          timeout: z.number().nonnegative().exactOptional(),
        }),
      }),
      z.object({
        method: z.literal("stop"),
        params: z.object({ id, graceMs: z.int().nonnegative().exactOptional() }),
      }),
      z.object({ method: z.literal("kill"), params: z.object({ id }) }),
      z.object({ method: z.literal("send"), params: z.object({ id, text: z.string().min(1) }) }),
      z.object({ method: z.literal("background"), params: z.object({ id }) }),
      z.object({
        method: z.literal("resume"),
        params: z.object({ id, prompt: z.string().min(1).exactOptional() }),
      }),
      /** Answers an open request of the inbox, as it was shown to a person. */
      z.object({
        method: z.literal("answer"),
        params: z.object({
          id: z.string().regex(/^q[0-9a-f]{8}$/),
          /** Digest of the request as shown: its file can be renamed and rewritten. */
          digest: z.string().max(200),
          /** Checked by the inbox itself, like every answer. */
          answer: z.unknown(),
        }),
      }),
      /** Reports that the client shows the sign for one of its requests. */
      z.object({
        method: z.literal("signed"),
        params: z.object({ of: z.union([z.int(), z.string().max(64)]) }),
      }),
      /** Events of one agent and its descendants; without `id`, of all. The answer holds their current rows. */
      z.object({ method: z.literal("events"), params: z.object({ id: id.exactOptional() }) }),
    ]),
  );

export type ControlRequest = z.infer<typeof requestSchema>;
export type ControlMethod = ControlRequest["method"];

/** Requests that only the user may make. All others only read. */
export const speaksAsUser: ReadonlySet<ControlMethod> = new Set([
  "stop",
  "kill",
  "send",
  "background",
  "resume",
  "answer",
]);

export type RequestId = ControlRequest["id"];

/** Only the type of an event is checked: both ends are Retinue's, and the socket is private. */
const eventSchema = z.custom<AgentEvent>(
  (value) => isObject(value) && typeof value["type"] === "string",
);

/** `id` is null if the request could not be parsed. */
export const answerSchema = z.union([
  z.object({
    id: z.union([z.int(), z.string()]).nullable(),
    error: z.object({ code: z.string(), message: z.string() }),
  }),
  z.object({ id: z.union([z.int(), z.string()]), challenge: z.string() }),
  z.object({ id: z.union([z.int(), z.string()]), result: z.unknown() }),
  z.object({ id: z.union([z.int(), z.string()]), event: eventSchema }),
  /** Total of events lost so far, because the reader was too slow. */
  z.object({ id: z.union([z.int(), z.string()]), dropped: z.int() }),
  z.object({ id: z.union([z.int(), z.string()]), done: z.literal(true) }),
]);

export type ControlAnswer = z.infer<typeof answerSchema>;

export const helloSchema = z.object({
  sessionId: z.string(),
  pid: z.int(),
  version: z.string(),
});

/** Limit of a request's length. Requests are short; an event may contain a whole answer or tool result. */
export const longestRequest: number = 4 * 1024 * 1024;
export const longestAnswer: number = 256 * 1024 * 1024;
