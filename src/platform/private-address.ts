import { BlockList, isIP } from "node:net";
import { once } from "./once.ts";

/**
 * Addresses that do not lead to the public internet: this machine, its networks, those of a provider, groups. Services
 * there often trust every caller that reaches them. The list has all that IANA's registries of special-purpose addresses do
 * not call globally reachable (RFC 6890), blocks with exceptions as a whole, and multicast.
 */
const ranges4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
const ranges6: readonly (readonly [network: string, prefix: number])[] = [
  // Unspecified, loopback, and the old way to write an address of version 4.
  ["::", 96],
  // Translated to version 4 (SIIT): `::ffff:0:127.0.0.1`.
  ["::ffff:0:0:0", 96],
  ["64:ff9b:1::", 48],
  // Discarded, and a dummy.
  ["100::", 63],
  // Protocols of the IETF, the tunnel Teredo among them.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

const privateRanges = once(() => {
  const list = new BlockList();
  for (const [network, prefix] of ranges4) {
    // Finds `::ffff:10.0.0.1` too.
    list.addSubnet(network, prefix, "ipv4");
    // A gateway to version 4 leads to the same place, and so does the tunnel 6to4.
    list.addSubnet(`64:ff9b::${network}`, 96 + prefix, "ipv6");
    list.addSubnet(`2002:${inHex(network)}::`, 16 + prefix, "ipv6");
  }
  for (const [network, prefix] of ranges6) list.addSubnet(network, prefix, "ipv6");
  return list;
});

function inHex(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

export function isPrivateAddress(address: string): boolean {
  const [bare = ""] = address.split("%");
  const family = isIP(bare);
  return family !== 0 && privateRanges().check(bare, family === 4 ? "ipv4" : "ipv6");
}

/** Whether a host is private by its spelling alone, as a `URL` has it: `127.0.0.1`, `[::1]`, `localhost`. Asks no server. */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.+$/, "");
  if (/(?:^|\.)localhost$/.test(name)) return true;
  return isPrivateAddress(name.replace(/^\[|\]$/g, ""));
}
