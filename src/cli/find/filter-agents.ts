import { RetinueError } from "../../contract/errors.ts";
import { agentStates } from "../../events/agent-record.ts";
import type { AgentOnDisk } from "../../transcript/agent-on-disk.ts";

const readers = {
  state: ({ record }: AgentOnDisk) => record.state,
  type: ({ record }: AgentOnDisk) => record.type,
  name: ({ record }: AgentOnDisk) => record.name ?? "",
  session: ({ record }: AgentOnDisk) => record.sessionId,
  parent: ({ record }: AgentOnDisk) => record.parentId ?? "",
  model: ({ record }: AgentOnDisk) => record.model,
  cwd: ({ record }: AgentOnDisk) => record.cwd,
};

/**
 * A predicate for `--filter`: `state=running`. Filters with one key match if any does; filters with different keys must
 * all match. Ids may be prefixes. Throws `invalid_request` for an invalid filter.
 */
export function agentFilter(filters: readonly string[]): (agent: AgentOnDisk) => boolean {
  const wanted = Map.groupBy(filters.map(parse), ({ key }) => key);
  return (agent) =>
    wanted
      .entries()
      .every(([key, some]) => some.some(({ value }) => fits(key, readers[key](agent), value)));
}

type FilterKey = keyof typeof readers;

function parse(filter: string): { key: FilterKey; value: string } {
  const [, key = "", value = ""] = /^([a-z]+)=(.*)$/s.exec(filter) ?? [];
  if (!Object.hasOwn(readers, key))
    throw unfit(filter, `write key=value, with one of ${Object.keys(readers).join(", ")}`);
  if (key === "state" && !agentStates.some((state) => state === value))
    throw unfit(filter, `an agent is ${agentStates.join(", ")}`);
  return { key: key as FilterKey, value };
}

function unfit(filter: string, remedy: string): RetinueError {
  return new RetinueError("invalid_request", `--filter ${filter}: ${remedy}.`);
}

function fits(key: FilterKey, actual: string, value: string): boolean {
  const isId = key === "session" || key === "parent";
  return isId && value !== "" ? actual.startsWith(value) : actual === value;
}
