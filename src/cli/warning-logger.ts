import { silentLogger, type Logger } from "../platform/logger.ts";
import { plainLine } from "./terminal/sanitize.ts";

const longestWarning = 1000;

/**
 * Passes warnings to the person who runs the agents. The logger of one agent stays silent: its warnings are events
 * (denials, retries), which the views show.
 */
export function warningLogger(say: (line: string) => void): Logger {
  return {
    info: () => undefined,
    warn: ({ file, line }, message) => {
      const where = typeof file === "string" ? `${plainLine(file)}${lineOf(line)}: ` : "";
      say(`retinue: warning: ${where}${plainLine(message, longestWarning)}`);
    },
    child: () => silentLogger,
  };
}

function lineOf(line: unknown): string {
  return typeof line === "number" ? `:${line}` : "";
}
