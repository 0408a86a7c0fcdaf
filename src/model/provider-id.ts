import { randomBytes } from "node:crypto";

/** Like a provider's, and never the same twice, in this process or another. */
export function newProviderId(prefix: "msg" | "req" | "toolu"): string {
  return `${prefix}_01${[...randomBytes(22)].map((byte) => alphabet[byte % alphabet.length]).join("")}`;
}

const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";
