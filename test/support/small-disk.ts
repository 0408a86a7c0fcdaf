import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** The reason why there can be none here; absent if there can. */
export const noSmallDisk: string | undefined =
  process.getuid?.() === 0 && process.platform === "linux"
    ? mountFails()
    : "needs Linux and root, to mount a small file system";

interface SmallDisk {
  path: string;
  /** Takes all room but so many kilobytes. */
  fill: (leaving?: number) => void;
  free: () => void;
}

/** A file system that can really be full; it is gone after the test. */
export function smallDisk(kilobytes: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), "retinue-disk-"));
  mount(path, kilobytes);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", path]);
    rmSync(path, { recursive: true });
  });
  const filler = join(path, "filler");
  return {
    path,
    fill: (leaving = 0) => {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(filler, Buffer.alloc(bavail * bsize - leaving * 1024));
    },
    free: () => rmSync(filler, { force: true }),
  };
}

function mount(path: string, kilobytes: number): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k,mode=700`, "tmpfs", path], {
    stdio: "pipe",
  });
}

function mountFails(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), "retinue-disk-"));
  try {
    mount(path, 64);
    execFileSync("umount", [path]);
    return undefined;
  } catch (error) {
    return `a small file system cannot be mounted: ${String(error)}`;
  } finally {
    rmSync(path, { recursive: true });
  }
}
