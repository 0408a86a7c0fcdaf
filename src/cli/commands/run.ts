import { text } from "node:stream/consumers";
import { RetinueError } from "../../contract/errors.ts";
import { runSession, type RunOptions } from "../run/run-session.ts";

/** `retinue run`: one main agent, its result on stdout, its progress on stderr. */
export async function runCommand(words: string[], options: RunOptions): Promise<void> {
  if (options.detach === true && options.detachedLog === undefined) {
    const { detach } = await import("../run/detach.ts");
    return detach("run", words, options);
  }
  const prompt = await readPrompt(words);
  const type = options.agent ?? options.agentType;
  const request = {
    prompt,
    ...(type === undefined ? {} : { subagent_type: type }),
    ...(options.name === undefined ? {} : { name: options.name }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.maxTurns === undefined ? {} : { max_turns: options.maxTurns }),
    ...(options.timeout === undefined ? {} : { timeout: options.timeout * 1000 }),
  };
  await runSession(options, { start: (manager) => manager.main(request) });
}

/** A last word `-` stands for stdin; without any words stdin is the task, unless it is a terminal. */
async function readPrompt(words: string[]): Promise<string> {
  const rule = words.find((word) => /^[A-Z]\w*\([^)]*\)$/.test(word));
  if (rule !== undefined && words.length > 1) {
    throw new RetinueError(
      "invalid_request",
      `'${rule}' is part of the task here. Rules go into one word, with commas between them: --allowedTools 'Read,${rule}'.`,
    );
  }
  const piped = words.at(-1) === "-" || (words.length === 0 && !process.stdin.isTTY);
  const spoken = (words.at(-1) === "-" ? words.slice(0, -1) : words).join(" ");
  const parts = [spoken, piped ? await text(process.stdin) : ""].map((part) => part.trim());
  const prompt = parts.filter((part) => part !== "").join("\n\n");
  if (prompt !== "") return prompt;
  throw new RetinueError(
    "invalid_request",
    'There is no task. Write it as an argument, retinue run "…", or pipe it in.',
  );
}
