import { systemCode } from "../../contract/errors.ts";
import { findAgents } from "../../transcript/agent-on-disk.ts";
import { findOpenAgents } from "../../transcript/open-agents.ts";
import { prune } from "../../transcript/retention.ts";
import { oldBefore } from "../old-before.ts";
import { formatBytes, plural } from "../terminal/format.ts";
import type { DoctorCheck, DoctorFinding } from "./check.ts";

/** Checks of the files that agents left. `--fix` never removes any of them. */
export const agentChecks: readonly DoctorCheck[] = [
  {
    name: "interrupted agents",
    look: async ({ configDir }) => {
      const agents = await findOpenAgents(configDir);
      const found = agents
        .filter(({ record }) => record.state === "interrupted")
        .map(({ record }): DoctorFinding => {
          const { id: agentId, name } = record;
          return {
            status: "warning",
            what: `${agentId} (${name ?? record.type}) was running when its process ended`,
            remedy: `retinue resume ${agentId}`,
          };
        });
      return found.length > 0 ? found : [{ status: "ok", what: "none" }];
    },
  },
  {
    name: "transcripts",
    look: async ({ configDir, inspectTranscript }) => {
      if (inspectTranscript === undefined) return [];
      const agents = await findAgents(configDir);
      const found: DoctorFinding[] = [];
      let read = 0;
      for (const { transcript } of agents) {
        const inspection = await inspectTranscript(transcript).catch(absent);
        if (inspection === undefined) continue;
        read += 1;
        found.push(...linesOf(transcript, inspection));
      }
      return found.length > 0 ? found : [{ status: "ok", what: `${plural(read, "file")} read` }];
    },
  },
  {
    name: "old sessions",
    look: async ({ configDir, cwd }) => {
      const before = oldBefore({ configDir, cwd });
      const { signal } = new AbortController();
      const { removed } = await prune({ configDir, before, dryRun: true, signal });
      if (removed.length === 0) return [{ status: "ok", what: "none" }];
      const bytes = formatBytes(removed.reduce((sum, session) => sum + session.bytes, 0));
      const what = `${plural(removed.length, "session")} (${bytes}) older than the retention period`;
      return [{ status: "warning", what, remedy: "retinue prune" }];
    },
  },
];

/** An agent that has not said anything yet has no transcript. */
function absent(error: unknown): undefined {
  if (systemCode(error) !== "ENOENT") throw error;
}

function linesOf(
  transcript: string,
  { bad, torn }: { bad: readonly { line: number }[]; torn: number },
): DoctorFinding[] {
  const [first] = bad;
  return [
    ...(first === undefined
      ? []
      : [
          {
            status: "warning",
            what: `${transcript}:${first.line}: ${plural(bad.length, "line")} cannot be read`,
            remedy: "No action is needed: readers skip such lines and use all others.",
          } as const,
        ]),
    ...(torn === 0
      ? []
      : [
          {
            status: "warning",
            what: `${transcript} ends in half a line (${plural(torn, "byte")})`,
            remedy:
              "No action is needed: it was never acknowledged, and is cut off when the agent is resumed.",
          } as const,
        ]),
  ];
}
