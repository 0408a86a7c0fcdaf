import { text } from "node:stream/consumers";
import { Option, type Command } from "commander";
import { RetinueError } from "../../contract/errors.ts";
import { runSession, type RunOptions } from "../run/run-session.ts";
import { runOptions } from "../options/run-options.ts";

export function addRun(program: Command): void {
  runOptions(program.command("run"))
    .description(
      "run a task and wait for its result; '-' as the last word, or no words at all, reads stdin",
    )
    .argument("[prompt...]", "the task")
    .option("-a, --agent <type>", "agent type of the main agent")
    .addOption(new Option("--agent-type <type>", "the same as --agent").hideHelp())
    .option("--name <name>", "name of the main agent, for use in other commands")
    .addHelpText(
      "after",
      `
Without asking, an agent may read and search inside the current directory, run commands that only look, and give
work to children, which obey the same rules. Any other call that no rule allows is asked: in the live view, or with
--inbox through 'retinue approve'. If no person can answer, the call is denied, and a line says how to allow it.

A model needs ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN; ANTHROPIC_BASE_URL for another server).

Examples:
  retinue run "Where is the retry logic?"
  git diff | retinue run "Review this change:" - -a Explore --output-format json
  retinue run -d --name fixer "Fix the failing test"; retinue attach fixer

Ten children run at once; CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS changes that.`,
    )
    .action(runCommand);
}

/** `retinue run`: one main agent, its result on stdout, its progress on stderr. */
async function runCommand(words: string[], options: RunOptions): Promise<void> {
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

/** Builds the prompt. `-` as the last word adds stdin; without any words stdin is the task, unless it is a terminal. */
async function readPrompt(words: string[]): Promise<string> {
  const rule = words.find((word) => /^[A-Z]\w*\([^)]*\)$/.test(word));
  if (rule !== undefined && words.length > 1) {
    throw new RetinueError(
      "invalid_request",
      `'${rule}' is read as part of the task. Write all rules as one word, separated by commas: --allowedTools 'Read,${rule}'.`,
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
