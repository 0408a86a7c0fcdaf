import { readdirSync, readFileSync } from "node:fs";

/** Command lines of living processes that carry the agent's mark. */
export function markedProcesses(agentId: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(agentId)) return [];
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()];
      } catch {
        return [];
      }
    });
}
