import { TranscriptRecorder } from "../dist/transcript/recorder.js";

type RecordedEvent = Parameters<TranscriptRecorder["record"]>[0];

/** Writes the transcript of an agent that read a file in each of very many turns: two messages a turn. */
export function writeSampleTranscript(path: string, messages: number): void {
  const sessionId = "00000000-0000-4000-8000-000000000000";
  const agentId = "a0123456789abcdef";
  const cwd = "/repository";
  const recorder = new TranscriptRecorder({
    path,
    envelope: {
      isSidechain: true,
      agentId,
      entrypoint: "sdk-ts",
      cwd,
      sessionId,
      version: "0.0.0",
    },
    agentType: "general-purpose",
    permissionMode: "default",
  });
  const record = (body: object, at: number): boolean =>
    recorder.record({ agentId, sessionId, at, ...body } as RecordedEvent);
  record({ type: "prompt", text: "Read every file.", attachments: [], source: "human" }, 0);
  for (let turn = 1; 2 * turn <= messages; turn += 1) {
    const id = `toolu_bench${turn}`;
    const call = { id, name: "Read", input: { file_path: `${cwd}/module-${turn}.ts` } };
    const answer = {
      id: `msg_bench${turn}`,
      requestId: `req_bench${turn}`,
      model: "scale",
      message: { role: "assistant", content: [{ type: "tool_use", ...call }] },
      stopReason: "tool_use",
      usage: { input: 1, output: 20, cacheRead: 10 * turn, cacheWrite: 10 },
    } as const;
    const content = Array.from(
      { length: 8 },
      (_, line) => `${line}\tconst value_${turn} = ${line};`,
    );
    const result = { type: "tool_result", tool_use_id: id, content: content.join("\n") } as const;
    record({ type: "assistant-message", turn, answer, costUsd: 0, durationMs: 20 }, turn);
    record({ type: "tool-call-end", call, result, data: undefined, durationMs: 1 }, turn);
  }
  recorder.close();
}
