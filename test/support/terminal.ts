import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished } from "vitest";
import { until } from "./until.ts";

/** A person at a terminal. */
export interface Terminal {
  /** Everything that was shown so far. */
  shown: () => string;
  type: (...chunks: string[]) => void;
  /** Resolves when the text was shown. */
  sees: (text: string | RegExp) => Promise<void>;
  /** Presses a key again and again until the check holds; without one until the command has ended. */
  pressUntil: (key: string, check?: () => unknown) => Promise<void>;
  hasEnded: () => boolean;
  /** The exit code, when all output was read. */
  ended: Promise<number>;
}

/** Runs a line of shell on a terminal of its own, 100 columns wide. It is gone after the test. */
export function onTerminal(
  line: string,
  { cwd, env }: { cwd?: string; env: Record<string, string> },
): Terminal {
  const child = spawn("script", ["-qec", `stty rows 24 cols 100; ${line}`, "/dev/null"], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, TERM: "xterm", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined);
  let output = "";
  let isOver = false;
  child.stdout.on("data", (chunk: Buffer) => (output += String(chunk)));
  const type: Terminal["type"] = (...chunks) => {
    for (const chunk of chunks) child.stdin.write(chunk);
  };
  return {
    shown: () => output,
    type,
    sees: (text) => until(() => expect(output).toMatch(text)),
    async pressUntil(key, check = () => isOver) {
      const press = (): unknown => {
        if (!isOver) type(key);
        return check();
      };
      await until(press, { intervalMs: 200 });
    },
    hasEnded: () => isOver,
    ended: once(child, "close").then(([code]) => {
      isOver = true;
      return code as number;
    }),
  };
}
