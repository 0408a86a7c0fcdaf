import { isUtf8 } from "node:buffer";
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { kindOf } from "../files/kind-of.ts";
import { realPath } from "../files/real-path.ts";

/**
 * The access of a command to a path. `show`: it reads, or writes if the path is inside an open one. `open`: it also
 * writes. `hold`: it does not write, even inside an open path. `hide`: it finds nothing there. `reveal`: it reads,
 * inside a hidden path.
 */
type Access = "show" | "open" | "hold" | "hide" | "reveal";

const strength: readonly Access[] = ["show", "open", "hold", "hide", "reveal"];

/**
 * The part of the disk that a command sees: nothing but the paths added here. Paths are mounted by their real names,
 * outer ones first, and the links on the way to them are created again, so that both spellings work.
 */
export class SandboxView {
  readonly #entries = new Map<string, Access>();
  readonly #links = new Map<string, string>();

  /** Adds absolute paths; missing ones are skipped. */
  add(access: Access, paths: Iterable<string>): this {
    for (const path of paths) {
      const real = realPath(path);
      if (!existsSync(real)) continue;
      for (const [link, target] of linksOn(path)) this.#links.set(link, target);
      const known = this.#entries.get(real);
      if (known === undefined || strength.indexOf(known) < strength.indexOf(access))
        this.#entries.set(real, access);
    }
    return this;
  }

  /** The arguments for bubblewrap. Order matters: a later mount covers an earlier one. */
  arguments(): string[] {
    const mounted = new Map<string, Access>();
    const mounts: string[] = [];
    const closed: string[] = [];
    for (const [path, access] of this.#inOrder()) {
      const around = nearest(mounted, path);
      if (access === "fresh") {
        mounts.push(...fresh(path, around));
        continue;
      }
      if (isNeedless(access, around)) continue;
      mounted.set(path, access);
      if (access !== "hide")
        mounts.push(access === "open" ? "--bind-try" : "--ro-bind-try", path, path);
      else if (kindOf(path) !== "directory") mounts.push("--ro-bind", "/dev/null", path);
      else {
        mounts.push("--tmpfs", path);
        closed.push(path);
      }
    }
    const links = [...this.#links].filter(([link]) => nearest(mounted, link) === undefined);
    if (!mounted.has(sep)) closed.push(sep);
    return [
      ...mounts,
      ...links.flatMap(([link, target]) => ["--symlink", target, link]),
      ...closed.flatMap((path) => ["--remount-ro", path]),
    ];
  }

  #inOrder(): [string, Access | "fresh"][] {
    const all = new Map<string, Access | "fresh">(this.#entries);
    for (const path of ["/dev", "/proc", "/tmp"]) if (!all.has(path)) all.set(path, "fresh");
    return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1));
  }
}

/**
 * Mounts for devices, for the sandbox's own processes, and for temporary files, unless those of the system may be seen.
 */
function fresh(path: string, around: Access | undefined): string[] {
  if (path === "/dev") return ["--dev", path];
  // Root may write the settings of the kernel there, without any privileges.
  const settings = ["/proc/sys", "/proc/sysrq-trigger"];
  if (path === "/proc")
    return ["--proc", path, ...settings.flatMap((one) => ["--ro-bind-try", one, one])];
  return around === undefined ? ["--tmpfs", path] : [];
}

function isNeedless(access: Access, around: Access | undefined): boolean {
  switch (access) {
    case "show":
      return around !== undefined && around !== "hide";
    case "open":
      return around === "open";
    case "hold":
      return around !== "open";
    case "hide":
      return around === undefined || around === "hide";
    case "reveal":
      return around !== "hide";
  }
}

/** The mount on a path or on the closest directory above it. */
function nearest(mounted: ReadonlyMap<string, Access>, path: string): Access | undefined {
  for (let at = path; ; at = dirname(at)) {
    const found = mounted.get(at);
    if (found !== undefined || dirname(at) === at) return found;
  }
}

const mostLinks = 40;

/** Every link on a path, by its own real name, and its target. */
function linksOn(path: string): [string, string][] {
  const found: [string, string][] = [];
  let rest = resolve(path).split(sep).slice(1);
  let at: string = sep;
  while (rest.length > 0 && found.length < mostLinks) {
    const [name = "", ...others] = rest;
    const next = join(at, name);
    if (lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
      at = next;
      rest = others;
      continue;
    }
    const bytes = readlinkSync(next, "buffer");
    if (!isUtf8(bytes)) return found;
    const target = bytes.toString();
    found.push([next, target]);
    rest = [...resolve(at, target).split(sep).slice(1), ...others];
    at = sep;
  }
  return found;
}
