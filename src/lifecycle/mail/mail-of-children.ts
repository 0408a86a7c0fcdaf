import { resultOf } from "../../events/agent-record.ts";
import type { AgentId } from "../../contract/ids.ts";
import { filesAtOnce, mapAtMost } from "../../platform/gate.ts";
import { readResultText } from "../../transcript/read-result.ts";
import type { Mail } from "../../loop/mail.ts";
import { childEnd, endMailId, endNotification, endOf, type ChildEnd } from "./notification.ts";
import type { Registry } from "../registry.ts";
import type { RunningAgent } from "../running-agent.ts";
import type { Session } from "../session.ts";

/** Ends of background children that are not in memory. `hasRead`: whether the parent has read a notification. */
export async function unreadEnds(
  parent: AgentId,
  hasRead: (mailId: string) => boolean,
  { registry, session }: MailContext,
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

interface MailContext {
  readonly registry: Registry;
  readonly session: Session;
}

/** Background children of an agent that are in memory. */
export function backgroundChildrenOf(
  parent: AgentId,
  registry: Pick<Registry, "list">,
): RunningAgent[] {
  return registry
    .list()
    .filter((child) => child.isBackground && child.agent.relates.parentId === parent);
}

/**
 * Notifications of background children that have ended. `about`: children that were in the registry, or were read from
 * their files, a moment ago. `gone`: the ends of others.
 */
export function mailOfChildren(
  parent: AgentId,
  { about, gone }: { about: readonly RunningAgent[]; gone: readonly ChildEnd[] },
  { registry, session }: MailContext,
): Mail[] {
  const known = backgroundChildrenOf(parent, registry);
  const children = new Map([...about, ...known].map((child) => [child.agent.id, child]));
  const ended = [...children.values()].filter((child) => child.hasEnded).map(endOf);
  const ends = [...gone.filter(({ id }) => !children.has(id)), ...ended];
  return ends
    .filter((end) => end !== undefined)
    .toSorted((a, b) => a.endedAt - b.endedAt)
    .map((end) => endNotification(end, session));
}
