import { resultOf } from "../../events/agent-record.ts";
import type { AgentId } from "../../contract/ids.ts";
import { filesAtOnce, mapAtMost } from "../../platform/gate.ts";
import { readResultText } from "../../transcript/read-result.ts";
import { childEnd, endMailId, endNotification, endOf, type ChildEnd } from "./notification.ts";
import type { Registry } from "../registry.ts";
import type { RunningAgent } from "../running-agent.ts";
import type { Session } from "../session.ts";

/** The ends of background children that are not in memory. `hasRead`: notifications that their parent has read. */
export async function unreadEnds(
  parent: AgentId,
  hasRead: (mailId: string) => boolean,
  { registry, session }: Family,
): Promise<ChildEnd[]> {
  const children = registry
    .records()
    .filter(
      ({ id, parentId, background, runs }) =>
        parentId === parent &&
        background &&
        registry.get(id) === undefined &&
        !hasRead(endMailId(id, runs)),
    );
  const ends = await mapAtMost(filesAtOnce, children, async (child) => {
    const content = await readResultText(session.paths.transcript(child.id));
    const result = resultOf(child, content);
    return result === undefined ? undefined : childEnd(child, result);
  });
  return ends.filter((end) => end !== undefined);
}

interface Family {
  readonly registry: Registry;
  readonly session: Session;
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
 * Notifies an agent of its background children that have ended, and makes it wait for the others. `about`: children that were in
 * the registry, or were read from their files, a moment ago. `gone`: the ends of others.
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
  for (const end of ends.toSorted((a, b) => a.endedAt - b.endedAt))
    mailbox.post(endNotification(end, session));
}
