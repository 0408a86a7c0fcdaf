import { Option, type Command } from "commander";
import { color, json, raw } from "./shared-options.ts";
import { fractionalSeconds, seconds } from "./option-values.ts";

const which = "id, beginning of an id, or name";

const endsEach = `
An agent that has ended already, or was interrupted, is named and is no error. One that cannot be ended does not keep the
others; the exit code is then that of the first that could not be, 3 when there is no such agent.`;

const onlyRunning = `
An agent that has ended or was interrupted is refused: 'retinue resume' goes on with it.`;

export function addStop(program: Command): void {
  program
    .command("stop")
    .description("end agents of any process, with the children they wait for and all they started")
    .argument("[ids...]", which)
    .option("--all", "every agent that has not ended")
    .option(
      "-t, --time <seconds>",
      "how long what they started may take to end by itself (default 0.3)",
      fractionalSeconds,
    )
    .option("--json", json)
    .addHelpText("after", endsEach)
    .action(async (ids: string[], options) => {
      const { stopCommand } = await import("./commands/stop.ts");
      await stopCommand(ids, options, "stop");
    });
}

export function addKill(program: Command): void {
  program
    .command("kill")
    .description("end agents at once: what they started gets no time to end by itself")
    .argument("<ids...>", which)
    .option("--json", json)
    .addHelpText("after", endsEach)
    .action(async (ids: string[], options) => {
      const { stopCommand } = await import("./commands/stop.ts");
      await stopCommand(ids, options, "kill");
    });
}

export function addSend(program: Command): void {
  program
    .command("send")
    .description("tell a running agent something; it reads it before its next turn")
    .argument("<id>", which)
    .argument("<message...>", "what to tell it; a last word '-' adds stdin")
    .option("--json", json)
    .addHelpText(
      "after",
      `
Prints a receipt when the message is on disk.${onlyRunning}`,
    )
    .action(async (id: string, words: string[], options) => {
      const { sendCommand } = await import("./commands/send.ts");
      await sendCommand(id, words, options);
    });
}

export function addWait(program: Command): void {
  program
    .command("wait")
    .description("wait until agents have ended; the exit code is that of 'run'")
    .argument("<ids...>", which)
    .option("--timeout <seconds>", "wait no longer; then the exit code is 124", seconds)
    .option("--json", json)
    .addHelpText(
      "after",
      `
One that was interrupted gives exit code 1; one that idles is not waited for. Of several agents, the exit code is the first
that is not 0.`,
    )
    .action(async (ids: string[], options) => {
      const { waitCommand } = await import("./commands/wait.ts");
      await waitCommand(ids, options);
    });
}

export function addAttach(program: Command): void {
  program
    .command("attach")
    .description("watch a running agent of another process until it ends; Ctrl+C leaves it running")
    .argument("<id>", which)
    .addOption(new Option("--json", "its events, one JSON object a line"))
    .addOption(raw())
    .addOption(color())
    .addHelpText(
      "after",
      `
Prints its result, with the exit code that 'run' would have. On a terminal its keys work: Ctrl+B moves what is waited for to
the background, m tells the agent something.${onlyRunning}`,
    )
    .action(async (id: string, options) => {
      const { attachCommand } = await import("./commands/attach.ts");
      await attachCommand(id, options);
    });
}

export function addBackground(program: Command): void {
  program
    .command("background")
    .description("move a running child to the background: its parent goes on without it")
    .argument("<id>", which)
    .option("--json", json)
    .addHelpText("after", "\nIts parent is told when it ends.")
    .action(async (id: string, options) => {
      const { backgroundCommand } = await import("./commands/background.ts");
      await backgroundCommand(id, options);
    });
}
