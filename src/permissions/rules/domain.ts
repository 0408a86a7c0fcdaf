import { domainToASCII } from "node:url";
import { globMatches } from "./glob-match.ts";

/** Whether `WebFetch(domain:…)` is about this address. An address that cannot be read is about no domain. */
export function matchesDomain(specifier: string, url: unknown): boolean {
  const [, pattern] = /^domain:(.*)$/is.exec(specifier) ?? [];
  const host = typeof url === "string" ? hostOf(url) : null;
  if (pattern === undefined || host === null) return false;
  const wanted = inAscii(withoutDot(pattern.trim().toLowerCase()));
  if (wanted === "*") return true;
  const [, parent] = /^\*\.([^*]+)$/.exec(wanted) ?? [];
  if (parent !== undefined) return host.endsWith(`.${parent}`);
  const labels = wanted.split(".");
  const given = host.split(".");
  return (
    labels.length === given.length &&
    // A star inside a label never crosses a dot.
    labels.every((label, at) => globMatches(label, given[at] ?? ""))
  );
}

/** Whether a specifier is no domain and no field of the tool either. */
export function namesNoHost(specifier: string): boolean {
  return !isDomain(specifier) && !/^(?:url|prompt):/.test(specifier);
}

/** Whether a specifier names a host or a pattern of hosts: `domain:example.com`, `domain:*.example.com`. */
export function isDomain(specifier: string): boolean {
  return (
    /^domain:\s*[^\s/:@?#]+\s*$/i.test(specifier) ||
    /^domain:\s*\[[\da-f:.]+\]\s*$/i.test(specifier)
  );
}

/** Whether the rule names exactly this host, without a star: only such a rule lets an address be private. */
export function namesHost(specifier: string, url: unknown): boolean {
  return !specifier.includes("*") && matchesDomain(specifier, url);
}

/** Names in other scripts are written in ASCII in addresses. */
function inAscii(host: string): string {
  if (/^[\x20-\x7E]*$/.test(host)) return host;
  const [, star = "", name = ""] = /^(\*\.)?(.*)$/s.exec(host) ?? [];
  return `${star}${domainToASCII(name) || name}`;
}

function hostOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed === null ? null : withoutDot(parsed.hostname.toLowerCase());
}

function withoutDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}
