/** The characters of secrets. */
export const digits = "0123456789";
export const hex: string = `${digits}abcdef`;
export const alphanumeric: string = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz${digits}`;
export const word: string = `${alphanumeric}_-`;
export const base64: string = `${alphanumeric}+/_=-`;

/** A character class for an expression; hexadecimal digits in either case. */
export function classOf(alphabet: string): string {
  if (alphabet === hex) return "[0-9a-fA-F]";
  return `[${alphabet.replace("-", String.raw`\-`)}]`;
}

/**
 * The edge at which a secret may begin: not inside a word, unless the preceding letter ends an escape of JSON, a URL or
 * a terminal.
 */
export const edge: string = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|\[[0-9;]{0,8}m))`;
