/** A structured logger, in the shape of pino. */
export interface Logger {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  /** A logger that adds these fields to each line. */
  child(fields: Record<string, unknown>): Logger;
}

export const silentLogger: Logger = {
  info: () => undefined,
  warn: () => undefined,
  child: () => silentLogger,
};

/** Drops errors that a host's logger throws: they must not end an agent. */
export function guardLogger(logger: Logger): Logger {
  if (logger === silentLogger) return logger;
  return {
    info: (fields, message) => quietly(() => logger.info(fields, message)),
    warn: (fields, message) => quietly(() => logger.warn(fields, message)),
    child: (fields) => guardLogger(quietly(() => logger.child(fields)) ?? silentLogger),
  };
}

function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
