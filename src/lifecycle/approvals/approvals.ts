import type { Approvals } from "../../loop/approve.ts";
import { isKeptFromAsking } from "../../permissions/kept-from-asking.ts";
import type { QuestionReply } from "../../tools/tool.ts";
import { askedBy } from "./asked-by.ts";
import type { AgentRun } from "../agent-run.ts";

/** The inbox and the grants of a session, as one agent sees them. */
export function approvalsOf({
  agent,
  session,
  meets,
  isBackground,
}: Pick<AgentRun, "agent" | "session" | "meets" | "isBackground">): Approvals {
  const { inbox, grants, denials, settings } = session;
  const { permissions } = agent.meets;
  const holder = { id: agent.id, type: agent.type, definitionHash: agent.definitionHash };
  return {
    canAsk() {
      const { permissions: now, mode: settled } = meets();
      const asker = { ...settled, background: isBackground(), mode: now.mode };
      return inbox.canAnswer && !isKeptFromAsking(asker, settings);
    },
    grants: () => grants.rulesFor(holder, { session: permissions.takesSessionGrants }),
    agentType: (name) => session.family.typeNamed(name),
    typeOf: (id) => session.family.typeOf(id),
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
    askPlan: (call, { reason, mode }, signal) =>
      inbox.ask(
        { ...askedBy(agent, call), kind: "plan", reason, mode, part: null, suggestions: [] },
        signal,
      ),
    countDenial: ({ name, input }) => denials.note(agent.id, name, input),
  };
}
