/** Retinue as a library. Other programs may rely on everything exported here, and on nothing else. */
export type { BranchRequest } from "./branch.ts";
export type { ResumeRequest } from "./resume.ts";
export type { Receipt } from "./steer.ts";
export { serveSession, type ServedSession } from "./control/serve-session.ts";
export type { AgentOutput } from "./session/agent-output.ts";
export type { AgentRow, StoppedRow } from "./session/agent-row.ts";
export { createManager, type Manager } from "./manager.ts";
export type { ManagerOptions } from "./session/manager-options.ts";
export type { Diagnostic } from "./contract/diagnostic.ts";
export type { CallExplanation } from "./resolve/explain-call.ts";
export type { Explanation } from "./resolve/explain.ts";
export { RetinueError, type ErrorCode } from "./contract/errors.ts";
export type {
  AgentFailure,
  AgentFigures,
  AgentResult,
  DeniedCall,
  FailureCode,
} from "./contract/agent-result.ts";
export type { AgentRecord, AgentState } from "./events/agent-record.ts";
export type { EventStream, Subscription } from "./events/bus.ts";
export type { AgentEvent, AgentSummary, ToolCall } from "./events/event.ts";
export type { AgentId, SessionId } from "./contract/ids.ts";
export type { InboxEvent } from "./inbox/inbox-options.ts";
export type { Answer, InboxRequest } from "./inbox/request.ts";
export type { InboxCheck } from "./inbox/run-checks.ts";
export type { Capacity, Room } from "./lifecycle/queue/capacity.ts";
export type { Spending, Totals } from "./lifecycle/totals.ts";
export type { Attachment, Message, Usage } from "./contract/message.ts";
export {
  ModelError,
  type Model,
  type ModelAnswer,
  type ModelDelta,
  type ModelErrorCode,
  type ModelRequest,
  type WebFindings,
  type WebLink,
  type WebQuery,
} from "./model/model.ts";
export { createAnthropic } from "./model/anthropic/anthropic.ts";
export { createRehearsal } from "./model/rehearsal/rehearsal.ts";
export { loadScenario, parseScenario } from "./model/rehearsal/scenario.ts";
export type {
  LoadedTranscript,
  SessionTranscripts,
  TranscriptRow,
} from "./session/session-transcripts.ts";
export type { TranscriptEntry } from "./transcript/reader.ts";
export {
  createTool,
  type HostTool,
  type HostToolContext,
  type HostToolOptions,
  type HostToolOutput,
  type JsonSchema,
} from "./tools/host-tool.ts";
export type { SpawnRequestInput } from "./contract/spawn-request.ts";
