import { z } from "zod";
import { errorMessage, RetinueError } from "../contract/errors.ts";
import type { ToolResultContent } from "../contract/message.ts";
import { absolutePath } from "../platform/files/absolute-path.ts";
import { isObject } from "../platform/is-object.ts";
import { foreignTools } from "./foreign-tools.ts";
import { noteToolName } from "./known-tools.ts";
import { toolName, toolRegistry } from "./registry.ts";
import { toolSpec, type LeafTool, type ToolContext, type ToolOutput } from "./tool.ts";
import { isAboutFiles, type Effect } from "./traits.ts";

/** A tool that a program brings along: `createManager({ tools: [createTool({ … })] })`. */
export interface HostTool extends LeafTool {
  readonly origin: "host";
}

/** A JSON Schema of an object: `{ type: "object", properties: { … } }`. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface HostToolOptions<Input> {
  /** The name that models, rules and agent files use: letters, digits, `_` and `-`. */
  readonly name: string;
  /** The model's manual, short: what it does, and when to use it. */
  readonly description: string;
  /**
   * The effect of a call, which decides whether it needs approval. `none`: touches nothing of the user's, runs unasked.
   * `read` and `edit`: looks at, or changes, the files that `paths` names; rules for `Read` and `Edit` match it too.
   * `look`: changes nothing. `other`, the default: may change anything, and is not for agents that plan or are
   * read-only.
   */
  readonly effect?: Exclude<Effect, "command" | "question">;
  /** Every file that a call reads or writes. Without it a tool with the effect `read` needs approval. */
  readonly paths?: (input: Input) => readonly string[];
  /** Whether agents in the background have it; default true. */
  readonly background?: boolean;
  /** `named`: children have it only if their `tools` name it. `main`: the main agent alone. Default `all`. */
  readonly audience?: "all" | "named" | "main";
  /** `shared`: may run beside other calls of one turn. Default: only with the effects `read` and `look`. */
  readonly concurrency?: "shared" | "alone";
  /**
   * Whether a call that a crash interrupted is repeated; otherwise the model reads that it was interrupted. Default:
   * only with the effects `read` and `look`.
   */
  readonly repeatable?: boolean;
  /**
   * Acts, and returns the result for the model. Anything it throws becomes a result that the model reads. When `signal`
   * aborts, throw its reason soon: a moment later the call is abandoned.
   */
  readonly execute: (
    input: Input,
    context: HostToolContext,
  ) => string | HostToolOutput | Promise<string | HostToolOutput>;
}

export interface HostToolContext {
  readonly agentId: string;
  readonly agentType: string;
  readonly callId: string;
  /** The agent's current directory; relative paths begin here. */
  readonly cwd: string;
  /** Aborts when the agent is ended, or when the call takes longer than `limits.toolTimeout`. */
  readonly signal: AbortSignal;
  /** A path of `paths` without links, as it was when the call was allowed. Read and write this one. */
  readonly realPath: (path: string) => string;
  /** Shows output of a running call to people who watch. Never blocks. */
  readonly progress: (text: string) => void;
}

export interface HostToolOutput {
  readonly content: ToolResultContent;
  /** Whether the call has failed; the content says why. */
  readonly isError?: boolean;
  /** The structured result, for programs: `data` of the event `tool-call-end`. */
  readonly data?: unknown;
}

/**
 * Makes a tool of a function. Throws `invalid_config` for a name that is taken or malformed and for a schema of no
 * object.
 */
export function createTool<Schema extends z.ZodObject>(
  options: HostToolOptions<z.infer<Schema>> & { readonly input: Schema },
): HostTool;
export function createTool(
  options: HostToolOptions<Record<string, unknown>> & { readonly input: JsonSchema },
): HostTool;
export function createTool(
  options: HostToolOptions<never> & { readonly input: z.ZodObject | JsonSchema },
): HostTool {
  const { name, description, paths, effect = "other", background = true } = options;
  refuseName(name);
  const refuse = (problem: string): RetinueError =>
    new RetinueError("invalid_config", `createTool '${name}': ${problem}`);
  if (typeof description !== "string" || description.trim() === "")
    throw refuse("description is missing. Say what the tool does; models go by it.");
  if (typeof options.execute !== "function")
    throw refuse("execute must be a function of the input.");
  if (!hostEffects.has(effect))
    throw refuse(`effect '${effect}' is unknown. Write one of ${[...hostEffects].join(", ")}.`);
  if (paths !== undefined && !isAboutFiles(effect))
    throw refuse("paths needs the effect 'read' or 'edit'. Name the effect, or leave paths out.");
  const isLooking = effect === "read" || effect === "look";
  const tool: HostTool = {
    origin: "host",
    kind: "leaf",
    name,
    description,
    effect,
    background,
    audience: options.audience ?? "all",
    concurrency: options.concurrency ?? (isLooking ? "shared" : "alone"),
    repeatable: options.repeatable ?? isLooking,
    ...schemaOf(options.input, refuse),
    paths: (input, cwd) => (paths?.(input as never) ?? []).map((path) => absolutePath(path, cwd)),
    execute: async (input: never, context) =>
      outputOf(await options.execute(input, contextOf(context)), name),
  };
  try {
    toolSpec(tool);
  } catch (error) {
    throw refuse(
      `input cannot be described to a model (${errorMessage(error)}). Use plain JSON types.`,
    );
  }
  noteToolName(name);
  return Object.freeze(tool);
}

const hostEffects: ReadonlySet<Effect> = new Set(["none", "read", "edit", "look", "other"]);

function refuseName(name: unknown): void {
  if (typeof name !== "string" || !/^(?!mcp__)[A-Za-z][\w-]{0,63}$/.test(name))
    throw new RetinueError(
      "invalid_config",
      `createTool: '${String(name)}' is not a valid tool name. Use letters, digits, _ and -, at most 64, with a letter first and without mcp__ in front.`,
    );
  const lower = name.toLowerCase();
  const taken = [...toolRegistry.keys(), ...foreignTools.keys()].find(
    (one) => one.toLowerCase() === lower,
  );
  const means = taken ?? (toolName(name) === name ? undefined : toolName(name));
  if (means !== undefined)
    throw new RetinueError(
      "invalid_config",
      `createTool: '${name}' is reserved: rules and models use it for ${means}. Choose another name.`,
    );
}

/** The schema that checks a call's input, and the one that the model reads. */
function schemaOf(
  input: z.ZodObject | JsonSchema,
  refuse: (problem: string) => RetinueError,
): Pick<LeafTool, "input" | "schema"> {
  const wrong = "input must be z.object({ … }) of zod 4, or a JSON Schema of type 'object'.";
  if (!isObject(input)) throw refuse(wrong);
  if ("_zod" in input) {
    if (!isZodObject(input)) throw refuse(wrong);
    return { input };
  }
  if (input["type"] !== "object" || "_def" in input) throw refuse(wrong);
  let parsed: z.ZodType;
  try {
    parsed = z.fromJSONSchema(input);
  } catch (error) {
    throw refuse(`input is a JSON Schema that cannot be checked: ${errorMessage(error)}.`);
  }
  if (!isZodObject(parsed))
    throw refuse(
      "input combines schemas at its top, which cannot be checked. List its properties.",
    );
  const { $schema: _, ...schema } = input;
  return { input: parsed, schema };
}

/** Whether a schema is a zod object, also one of another copy of zod. */
function isZodObject(schema: object): schema is z.ZodObject {
  return (schema as Partial<z.ZodType>)._zod?.def.type === "object";
}

function contextOf(context: ToolContext): HostToolContext {
  const { agentId, agentType, callId, signal, workbench } = context;
  const { cwd } = workbench;
  return {
    agentId,
    agentType,
    callId,
    signal,
    cwd,
    realPath: (path) => context.realPath(absolutePath(path, cwd)),
    progress: (text) => context.progress(text),
  };
}

const mostCharacters = 100_000;

function outputOf(given: string | HostToolOutput, name: string): ToolOutput {
  const output = typeof given === "string" ? { content: given } : given;
  const content: unknown = isObject(output) ? output.content : undefined;
  if (typeof content !== "string" && !Array.isArray(content))
    throw new Error(`${name} has ended without a result: it returned no text and no content.`);
  if (typeof content !== "string" || content.length <= mostCharacters) return output;
  const left = content.length - mostCharacters;
  const start = content.slice(0, mostCharacters).toWellFormed();
  return { ...output, content: `${start}\n[… ${left} more characters were left out]` };
}
