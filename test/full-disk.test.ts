import { agentSummary, figures } from "../src/events/events-fixture.ts";
import { advance, failureOf, introduce, type AgentRecord } from "../src/events/agent-record.ts";
import type { AgentId, SessionId } from "../src/contract/ids.ts";
import { readFileSync, readlinkSync, closeSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { newSessionId } from "../src/contract/ids.ts";
import { JsonlWriter, readJsonl } from "../src/transcript/lines/jsonl.ts";
import { inspectTranscript } from "../src/transcript/inspect.ts";
import { readAgent } from "../src/transcript/agent-on-disk.ts";
import { metaOf, type AgentMeta } from "../src/transcript/meta.ts";
import { sessionPaths } from "../src/transcript/paths.ts";
import { takeLease } from "../src/transcript/lease/take-lease.ts";
import { writeMeta } from "../src/transcript/write-meta.ts";
import { office, untilGo } from "./support/office.ts";
import { noSmallDisk, smallDisk } from "./support/small-disk.ts";
import { idsOfType, setStage } from "./support/stage.ts";

const header = { agentId: "a1" as AgentId, sessionId: "s" as SessionId, at: 0 };
const identity = agentSummary({ type: "Explore", description: "d".repeat(3000), depth: 1 });
const record: AgentRecord = { ...introduce(header, identity), state: "running" };
const runner = { pid: 1, pidStart: "1" };
const meta = metaOf(record, runner);

function failedWith(message: string): AgentMeta {
  const error = { code: "storage", message } as const;
  const result = { ...figures(), state: "failed", content: "", error } as const;
  return metaOf(advance(record, { ...header, at: 1, type: "agent-end", result }), runner);
}

async function failureIn(path: string): Promise<string | undefined> {
  const agent = await readAgent(path);
  return agent && failureOf(agent.record)?.message;
}

describe.skipIf(noSmallDisk !== undefined)(
  `on a disk that is full (${noSmallDisk ?? "it can be"})`,
  () => {
    test("an append of which only a part found room is not there, and the next one is whole", async () => {
      const disk = smallDisk(256);
      const path = join(disk.path, "a.jsonl");
      const writer = new JsonlWriter(path);
      const lines = ["x", "y", "z"].map((text) => JSON.stringify({ text: text.repeat(5000) }));
      writer.append(lines);
      const before = readFileSync(path);
      disk.fill(8);
      expect(() => writer.append(lines)).toThrow("ENOSPC");
      expect(readFileSync(path)).toEqual(before);
      disk.free();
      writer.append(lines);
      writer.close();
      expect(await readJsonl(path)).toHaveLength(6);
      expect(await inspectTranscript(path)).toEqual({ lines: 6, bad: [], torn: 0 });
    });

    test("an append of another process in between survives the undoing", async () => {
      const disk = smallDisk(256);
      const path = join(disk.path, "a.jsonl");
      const [writer, other] = [new JsonlWriter(path), new JsonlWriter(path)];
      writer.append([JSON.stringify({ n: 1 })]);
      other.append([JSON.stringify({ n: 2 })]);
      disk.fill(4);
      const large = JSON.stringify({ text: "x".repeat(20_000) });
      expect(() => writer.append([large, large])).toThrow("ENOSPC");
      other.append([JSON.stringify({ n: 3 })]);
      writer.close();
      other.close();
      expect((await readJsonl(path)).map(({ n }) => n)).toEqual([1, 2, 3]);
      expect(await inspectTranscript(path)).toEqual({ lines: 3, bad: [], torn: 0 });
    });

    test("the end of an agent is written where its state was, and what finds no room tears nothing", async () => {
      const disk = smallDisk(256);
      const path = join(disk.path, "agent-a1.meta.json");
      const length = writeMeta(path, meta, 0);
      disk.fill();
      expect(writeMeta(path, failedWith("no room"), length)).toBe(length);
      expect(await failureIn(path)).toBe("no room");

      expect(writeMeta(path, failedWith("m".repeat(9000)), length)).toBe(length);
      expect((await readAgent(path))?.record.state).toBe("failed");
      expect(await failureIn(path)).toMatch(/^m{100,}$/);

      const before = readFileSync(path);
      const longer = metaOf({ ...record, description: "d".repeat(9000) }, runner);
      expect(() => writeMeta(path, longer, length)).toThrow("ENOSPC");
      expect(readFileSync(path)).toEqual(before);
      expect(() => writeMeta(join(disk.path, "agent-a2.meta.json"), longer, 0)).toThrow("ENOSPC");
      expect(readdirSync(disk.path).toSorted()).toEqual(["agent-a1.meta.json", "filler"]);

      disk.free();
      expect(writeMeta(path, longer, length)).toBeGreaterThan(length);
      expect((await readAgent(path))?.record.description).toHaveLength(9000);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });

    test("a lease is there whole or not at all, so that the session can be had as soon as there is room", () => {
      const disk = smallDisk(256);
      const paths = sessionPaths(disk.path, newSessionId());
      disk.fill();
      expect(() => takeLease(paths)).toThrow(
        expect.objectContaining({
          code: "storage",
          message: expect.stringMatching(/ENOSPC.*Free space/) as string,
        }),
      );
      expect(readdirSync(disk.path)).toEqual(["filler"]);
      disk.free();
      const lease = takeLease(paths);
      expect(readdirSync(dirname(paths.lease))).toEqual(["lease.json"]);
      lease.release();
    });

    test.each([0, 4])(
      "a detached run that finds no room says so though its log cannot, and leaves no lease (%d kB are left)",
      async (room) => {
        const disk = smallDisk(256);
        const config = join(disk.path, "config");
        const { retinue } = office(untilGo, {
          CLAUDE_CONFIG_DIR: config,
          NODE_DISABLE_COMPILE_CACHE: "1",
        });
        disk.fill(room);
        expect(await retinue("run", "-d", "--rehearse", "s.yaml", "x")).toMatchObject({
          code: 1,
          stdout: "",
          stderr: expect.stringMatching(
            /^retinue: The session .*ENOSPC.*Free space.*\n$/,
          ) as string,
        });
        const left = readdirSync(config, { recursive: true, withFileTypes: true });
        expect(left.filter((entry) => entry.isFile())).toEqual([]);
      },
    );

    test.each(["process", "power"] as const)(
      "an agent ends with a typed failure that is on disk, and one that comes when there is room again is well (%s)",
      async (durability) => {
        const disk = smallDisk(1024);
        const transcriptDir = join(disk.path, "transcripts");
        const { manager } = setStage(
          `
turns:
  - { last: fill, reply: [{ text: I fill the disk. }, { call: Bash, input: { command: "head -c 9000000 /dev/zero > \\"$(cat disk)\\"/filler; head -c 20000 /dev/zero | tr '\\\\0' x" } }] }
  - { reply: done, repeat: true }
`,
          { allowedTools: ["Bash"], transcriptDir, durability, files: { disk: disk.path } },
        );
        const agent = await manager.spawn({ prompt: "fill", subagent_type: "Bash" });
        expect(await manager.output(agent.id, { block: true })).toMatchObject({
          state: "failed",
          error: { code: "storage" },
        });
        const files = join(transcriptDir, manager.sessionId, "subagents", `agent-${agent.id}`);
        expect((await readAgent(`${files}.meta.json`))?.record).toMatchObject({
          state: "failed",
          end: { error: { code: "storage" } },
        });
        expect(await inspectTranscript(`${files}.jsonl`)).toMatchObject({ bad: [], torn: 0 });
        disk.free();
        const next = await manager.spawn({ prompt: "other", subagent_type: "Bash" });
        expect(await manager.output(next.id, { block: true })).toMatchObject({
          state: "completed",
        });
      },
    );
  },
);

test.runIf(process.platform === "linux")("a file that fails ends its own agent only", async () => {
  const scenario = `
turns:
  - { turn: 1, reply: [{ call: Glob, input: { pattern: "*" } }], repeat: true }
  - { turn: 2, reply: done, repeat: true }
`;
  const { manager, events } = setStage(scenario);
  const agents = await Promise.all(
    ["a", "b", "c"].map((prompt) => manager.spawn({ prompt, subagent_type: "Explore" })),
  );
  closeFileOf(agents[1]?.id ?? "");
  const ends = await Promise.all(
    agents.map(({ id }) => manager.output(id, { block: true }).then(({ state }) => state)),
  );
  expect(ends).toEqual(["completed", "failed", "completed"]);
  expect(idsOfType(events, "Explore")).toHaveLength(3);
  const files = join(manager.transcripts.projectDir, manager.sessionId, "subagents");
  const broken = await readAgent(join(files, `agent-${agents[1]?.id}.meta.json`));
  expect(broken?.record).toMatchObject({ state: "failed", end: { error: { code: "storage" } } });
});

/** As if the disk below this one file were gone. */
function closeFileOf(agentId: string): void {
  for (const name of readdirSync("/proc/self/fd")) {
    try {
      if (readlinkSync(`/proc/self/fd/${name}`).endsWith(`agent-${agentId}.jsonl`))
        return closeSync(Number(name));
    } catch {
      // Gone since it was listed.
    }
  }
  throw new Error("The transcript is not open.");
}
