import { randomUUID } from "node:crypto";

/** Creates an id like a provider's, unique across processes. */
export function newProviderId(prefix: "msg" | "req" | "toolu"): string {
  return `${prefix}_01${randomUUID().replaceAll("-", "").slice(0, 22)}`;
}
