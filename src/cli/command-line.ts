import { CommanderError } from "commander";
import { errorMessage } from "../contract/errors.ts";
import { useSafePath } from "../platform/own-programs.ts";
import { watchPipes } from "./terminal/broken-pipe.ts";
import { exitCodeOfThrown, exitCodes } from "./exit-codes.ts";
import { buildProgram } from "./program.ts";
import { plain } from "./terminal/sanitize.ts";

/** Runs one command, given the words behind `retinue`, and returns its exit code. */
export async function runCommandLine(args: string[]): Promise<number> {
  watchPipes();
  useSafePath();
  try {
    const words = withCommand(args);
    const program = await buildProgram(words);
    await program.parseAsync(words, { from: "user" });
    return Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    process.stderr.write(`retinue: ${plain(errorMessage(error))}\n`);
    return exitCodeOfThrown(error);
  }
}

/** `retinue -p "…"` means `retinue run -p "…"`, as people type it elsewhere. */
function withCommand(args: string[]): string[] {
  const [first] = args;
  if (first === undefined) return ["--help"];
  const own = ["-h", "--help", "-V", "--version"];
  return first.startsWith("-") && !own.includes(first) ? ["run", ...args] : args;
}
