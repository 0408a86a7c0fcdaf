// Compiles src/ into dist/ from scratch, so that nothing stale is ever published.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
process.exit(status ?? 1);
