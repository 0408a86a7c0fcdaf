import type { ToolCall } from "../events/event.ts";
import type { Approvals } from "../loop/approve.ts";
import type { InboxRequest } from "../inbox/request.ts";
import type { ResolvedAgent } from "../resolved-agent.ts";
import type { QuestionReply } from "../tools/tool.ts";
import type { Session } from "./session.ts";

/** The inbox and the grants of a session, as one agent sees them. */
export function approvalsOf(agent: ResolvedAgent, session: Session): Approvals {
  const { inbox, grants, denials, settings } = session;
  const { permissions } = agent.meets;
  const holder = { id: agent.id, type: agent.type, definitionHash: agent.definitionHash };
  const isKeptFromAsking = agent.relates.background && settings.background.prompts === "deny";
  return {
    get canAsk() {
      return inbox.canAnswer && !isKeptFromAsking;
    },
    grants: () => grants.rulesFor(holder, { session: permissions.takesSessionGrants }),
    agentType: (name) => session.agentType(name),
    ask: (call, { reason, part, suggestions }, signal) =>
      inbox.ask(
        {
          ...askedBy(agent, call),
          kind: "permission",
          reason,
          part,
          suggestions: [...suggestions],
        },
        signal,
      ),
    async askQuestions(call, questions, signal): Promise<QuestionReply> {
      const input = { questions: [...questions] };
      const question = {
        ...askedBy(agent, { ...call, input }),
        kind: "question",
        part: null,
      } as const;
      const reason = "The agent has a question.";
      const { answer } = await inbox.ask({ ...question, reason, suggestions: [] }, signal);
      if (answer.verdict === "reply") return { kind: "answers", answers: answer.answers };
      const said = answer.verdict === "deny" ? answer.message : undefined;
      return { kind: "none", reason: said ?? "The user did not want to answer." };
    },
    countDenial: ({ name, input }) => denials.note(agent.id, name, input),
  };
}

function askedBy(
  agent: ResolvedAgent,
  { name, input }: Pick<ToolCall, "name" | "input">,
): Pick<
  InboxRequest,
  "agentId" | "agentType" | "agentName" | "label" | "definitionHash" | "tool" | "input"
> {
  return {
    agentId: agent.id,
    agentType: agent.type,
    agentName: agent.name,
    label: [...agent.relates.path],
    definitionHash: agent.definitionHash,
    tool: name,
    input,
  };
}
