import { isPrivateHost } from "../../platform/private-address.ts";
import type { Call } from "../call.ts";
import { namesHost } from "./domain.ts";
import type { Rulebook } from "../policy.ts";
import { isAbout } from "./rule.ts";

/** The host of a call of `WebFetch` that is private by its spelling; `null`: it is not, or the call is another. */
export function privateHostOf({ tool, input }: Pick<Call, "tool" | "input">): string | null {
  if (tool !== "WebFetch" || typeof input["url"] !== "string") return null;
  const host = URL.parse(input["url"])?.hostname ?? "";
  return isPrivateHost(host) ? host : null;
}

/** Whether a name may turn out to lead to a private address: a rule names it, or the mode allows everything. */
export function mayReachPrivate(book: Pick<Rulebook, "allow" | "policy">, url: string): boolean {
  if (book.policy.mode === "bypassPermissions") return true;
  return book.allow.some(
    (rule) =>
      isAbout(rule, "WebFetch") && rule.specifier !== null && namesHost(rule.specifier, url),
  );
}
