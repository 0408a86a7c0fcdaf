import { structuredPatch, type StructuredPatchHunk } from "diff";
import { z } from "zod";
import { writeDecided } from "../../platform/files/atomic-write.ts";
import { asToolFailure, contentHash } from "./file-state.ts";
import { absolutePath } from "../../platform/files/absolute-path.ts";
import { loadFile, type LoadedFile } from "./load-file.ts";
import { leafTool, ToolFailure, type LeafTool, type ToolContext } from "../tool.ts";

export const writeTool: LeafTool = leafTool({
  name: "Write",
  description:
    "Create a file or replace its whole content. Read an existing file first; to change parts of it, use Edit.",
  input: z.object({ file_path: z.string(), content: z.string() }),
  effect: "edit",
  background: true,
  audience: "all",
  forMemory: true,
  mainField: "file_path",
  concurrency: "alone",
  repeatable: false,
  paths: (input, cwd) => [absolutePath(input.file_path, cwd)],

  async execute(input, context) {
    const path = absolutePath(input.file_path, context.workbench.cwd);
    const { original, updated, patch } = await changeFile({
      context,
      path,
      changes: "all",
      rewrite: (original) => inFormatOf(original?.bytes.toString() ?? "", input.content),
    });
    return {
      content:
        original === undefined
          ? `Created ${path}.`
          : `Replaced ${path} (${countLines(patch, "+")} lines added, ${countLines(patch, "-")} removed).`,
      data: {
        type: original === undefined ? "create" : "update",
        filePath: path,
        content: updated,
        structuredPatch: patch,
        originalFile: recordable(original),
      },
    };
  },
});

interface Change {
  context: ToolContext;
  path: string;
  /** A writer that replaces the whole file must have read all of it; to change a part, a part is enough. */
  changes: "all" | "part";
  /** The new text. Throws `ToolFailure` to leave the file as it is. */
  rewrite: (original: LoadedFile | undefined) => string | Promise<string>;
}

interface Changed {
  original: string | undefined;
  updated: string;
  patch: StructuredPatchHunk[];
}

/** Changes a file; all file tools do it here: checked against what the agent has read, atomic, on record. */
export async function changeFile({ context, path, changes, rewrite }: Change): Promise<Changed> {
  const { files, ledger } = context.workbench;
  try {
    const target = context.realPath(path);
    return await ledger.inTurn(target, async () => {
      const loaded = await loadFile(path, context);
      if (loaded) requireRead({ context, path, changes, loaded });
      const updated = await rewrite(loaded);

      context.signal.throwIfAborted();
      await writeDecided(target, updated);
      const hash = contentHash(updated);
      if (changes === "all") files.sawAll(target, hash);
      else files.changedPart(target, hash);
      ledger.record(target, { agentId: context.agentId, agentType: context.agentType, hash });

      const original = loaded?.bytes.toString();
      return { original, updated, patch: patchOf(path, original, updated) };
    });
  } catch (error) {
    context.signal.throwIfAborted();
    throw asToolFailure(error, `Cannot write ${path}`);
  }
}

/** A new text with the byte order mark and the line endings of the old one, which `Read` does not show. */
export function inFormatOf(original: string, text: string): string {
  const bom = original.startsWith("\uFEFF") && !text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const isCrlf = original.includes("\r\n") && !/(?<!\r)\n/.test(original);
  return bom + (isCrlf ? text.replaceAll(/\r?\n/g, "\r\n") : text);
}

const maxRecorded = 256 * 1024;

/** The old text for the structured result, unless it would bloat the transcript. */
export function recordable(original: string | undefined): string | null {
  return original === undefined || original.length > maxRecorded ? null : original;
}

function requireRead({
  context,
  path,
  changes,
  loaded,
}: Pick<Change, "context" | "path" | "changes"> & { loaded: LoadedFile }): void {
  const known = context.workbench.files.recall(loaded.path);
  if (known?.hash === loaded.hash) {
    if (known.extent === "whole" || changes === "part") return;
    throw new ToolFailure(
      `You have read only a part of ${path}. Read the rest first, or change parts of it with Edit.`,
    );
  }
  const change = context.workbench.ledger.lastChange(loaded.path);
  const sibling =
    change?.hash === loaded.hash && change.agentId !== context.agentId
      ? ` by agent ${change.agentType} (${change.agentId})`
      : "";
  throw new ToolFailure(
    known === undefined
      ? `${path} exists${sibling && `, last changed${sibling},`} and you have not read it. Read it first.`
      : `${path} was changed${sibling} after you read it. Read it again, then redo your change on top.`,
  );
}

function patchOf(
  path: string,
  original: string | undefined,
  updated: string,
): StructuredPatchHunk[] {
  if (original === undefined) return [];
  const options = { context: 3, stripTrailingCr: true, timeout: 200 };
  return structuredPatch(path, path, original, updated, undefined, undefined, options)?.hunks ?? [];
}

function countLines(patch: StructuredPatchHunk[], sign: "+" | "-"): number {
  return patch.flatMap((hunk) => hunk.lines).filter((line) => line.startsWith(sign)).length;
}
