import { shellQuote } from "../shell-quote.ts";

/**
 * The script that runs inside the sandbox instead of the command itself. The command stays exactly as the model wrote
 * it: this shell reads it from a file, starts it in its own bash, and reports its exit code on descriptor 3 as soon as
 * it has ended. The shell then waits for all other processes in its pid namespace, which ends with it: so background
 * processes keep running, and end when the sandbox is killed.
 */
export function supervisorScript(call: {
  /** The file that holds the command. */
  command: string;
  /** File that bash reads before the command. */
  prelude: string;
  /** Directory in which the command starts. The sandbox enters it too, but by its real name; `pwd` shows this one. */
  cwd: string;
  /** Variables that are added to the command's environment. */
  env: Readonly<Record<string, string>>;
  /** Commands that run before it. */
  before: readonly string[];
}): string {
  const variables = Object.entries({ ...call.env, BASH_ENV: call.prelude })
    .map(([name, value]) => `${name}=${shellQuote(value)} `)
    .join("");
  return [
    `IFS= read -r -d '' command <${shellQuote(call.command)}`,
    // Bash reports on its own stderr which signal ended a child; the output must be the command's alone.
    "exec 4>&2 2>/dev/null",
    ...call.before,
    `cd -- ${shellQuote(call.cwd)}`,
    // The same bash by its file: a bare name would be looked up on the PATH of the command.
    `(${variables}exec -a bash "$BASH" --noprofile --norc -c "$command" 2>&4 3>&- 4>&-)`,
    "code=$?",
    'printf %s "$code" >&3',
    "exec 1>&- 3>&- 4>&-",
    "while kill -0 -- -1; do sleep 0.2; done",
    'exit "$code"',
    "",
  ].join("\n");
}
