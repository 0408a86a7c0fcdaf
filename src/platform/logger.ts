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
