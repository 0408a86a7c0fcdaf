import type { AgentResult } from "../agent-result.ts";
import { errorMessage, RetinueError } from "../errors.ts";
import type { AgentId } from "../ids.ts";
import { filesAtOnce, mapAtMost } from "../platform/gate.ts";
import type { EarlierAgents } from "./earlier-agents.ts";
import { endNotification, endOf, type ChildEnd } from "./notification.ts";
import type { Registry } from "./registry.ts";
import type { RunningAgent } from "./running-agent.ts";
import type { Session } from "./session.ts";

/** How children of an agent ended that left memory before it read of it. */
export async function untoldEnds(
  parent: AgentId,
  { registry, earlier, session }: Family & { earlier: EarlierAgents },
): Promise<ChildEnd[]> {
  const ends = await mapAtMost(filesAtOnce, registry.untoldBy(parent), (id) =>
    endOnDisk(id, earlier).catch((error: unknown) => {
      // One that was removed has nothing to tell.
      if (error instanceof RetinueError) registry.untold.settle(parent, id);
      else
        session.logger.warn(
          { agentId: id, error: errorMessage(error) },
          "a child could not be read",
        );
      return undefined;
    }),
  );
  return ends.filter((end) => end !== undefined);
}

interface Family {
  readonly registry: Registry;
  readonly session: Session;
}

async function endOnDisk(id: AgentId, earlier: EarlierAgents): Promise<ChildEnd | undefined> {
  const { past, earlier: files } = await earlier.read(id);
  if (past.end === null) return undefined;
  const { meta } = files;
  const result: AgentResult = { ...past.end, content: past.end.content ?? past.lastText };
  return {
    id,
    description: meta.description,
    toolUseId: meta.toolUseId,
    result,
    runs: past.runs,
    endedAt: meta.retinue.endedAt ?? past.endedAt ?? 0,
  };
}

/** Those in memory. */
export function backgroundChildrenOf(
  parent: AgentId,
  { registry }: Pick<Family, "registry">,
): RunningAgent[] {
  return registry
    .list()
    .filter((child) => child.isBackground && child.agent.relates.parentId === parent);
}

/**
 * What became of the children that an agent did not wait for: it hears of those that have ended, and waits for the others.
 * `about` were in memory, or were read from their files, a moment ago, and `gone` are told of by their files alone: both may be
 * more than memory keeps.
 */
export function tellOfChildren(
  { agent, mailbox }: RunningAgent,
  { about, gone }: { about: readonly RunningAgent[]; gone: readonly ChildEnd[] },
  { registry, session }: Family,
): void {
  const known = backgroundChildrenOf(agent.id, { registry });
  const children = new Map([...about, ...known].map((child) => [child.agent.id, child]));
  const ends = [...gone.filter(({ id }) => !children.has(id))];
  for (const child of children.values()) {
    if (!child.hasEnded) mailbox.expect(child.agent.id);
    const end = child.hasEnded ? endOf(child) : undefined;
    if (end !== undefined) ends.push(end);
  }
  for (const end of ends.toSorted((a, b) => a.endedAt - b.endedAt)) {
    const mail = endNotification(end, session);
    mailbox.post(mail);
    if (mailbox.hasRead(mail.id)) registry.untold.settle(agent.id, end.id);
  }
}
