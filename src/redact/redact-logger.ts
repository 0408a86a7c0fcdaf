import { silentLogger, type Logger } from "../platform/logger.ts";
import type { Redactor } from "./redactor.ts";

/** A logger whose lines hold no secrets. */
export function redactLogger(logger: Logger, redactor: Redactor): Logger {
  if (logger === silentLogger) return logger;
  const { text, deep } = redactor;
  return {
    info: (fields, message) => logger.info(deep(fields), text(message)),
    warn: (fields, message) => logger.warn(deep(fields), text(message)),
    child: (fields) => redactLogger(logger.child(deep(fields)), redactor),
  };
}
