import { shellQuote } from "../shell-quote.ts";

/**
 * The script that runs inside the sandbox instead of the command itself. The command stays exactly what the model wrote: this shell
 * reads it from a file, starts it in a bash of its own, and reports its exit code on descriptor 3 as soon as it has ended.
 * It then stays for as long as anything else lives in its pid namespace, for that ends with it: so processes in the
 * background live on, and are gone when the sandbox is killed.
 */
export function supervisorScript(call: {
  /** The file that holds the command. */
  command: string;
  /** File that bash reads before the command. */
  prelude: string;
  /** Where it starts. The sandbox enters it too, but by its real name, and `pwd` shows the one that is kept. */
  cwd: string;
  /** Variables that the command finds in its environment besides ours. */
  env: Readonly<Record<string, string>>;
  /** Commands that come before it. */
  before: readonly string[];
}): string {
  const variables = Object.entries({ ...call.env, BASH_ENV: call.prelude })
    .map(([name, value]) => `${name}=${shellQuote(value)} `)
    .join("");
  return [
    `IFS= read -r -d '' command <${shellQuote(call.command)}`,
    // Bash reports on its own stderr which signal a child died of; the output is the command's alone.
    "exec 4>&2 2>/dev/null",
    ...call.before,
    `cd -- ${shellQuote(call.cwd)}`,
    // The same bash by its file: a name would be looked up on the PATH of the command.
    `(${variables}exec -a bash "$BASH" --noprofile --norc -c "$command" 2>&4 3>&- 4>&-)`,
    "code=$?",
    'printf %s "$code" >&3',
    "exec 1>&- 3>&- 4>&-",
    "while kill -0 -- -1; do sleep 0.2; done",
    'exit "$code"',
    "",
  ].join("\n");
}
