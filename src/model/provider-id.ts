import { randomUUID } from "node:crypto";

/** Like a provider's, and never the same twice, in this process or another. */
export function newProviderId(prefix: "msg" | "req" | "toolu"): string {
  return `${prefix}_01${randomUUID().replaceAll("-", "").slice(0, 22)}`;
}
