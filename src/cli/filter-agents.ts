import { RetinueError } from "../errors.ts";
import { statesOnDisk, type AgentOnDisk } from "../transcript/meta.ts";

const readers = {
  state: ({ state }: AgentOnDisk) => state,
  type: ({ meta }: AgentOnDisk) => meta.agentType,
  name: ({ meta }: AgentOnDisk) => meta.retinue.name ?? "",
  session: ({ meta }: AgentOnDisk) => meta.retinue.sessionId,
  parent: ({ meta }: AgentOnDisk) => meta.retinue.parentId ?? "",
  model: ({ meta }: AgentOnDisk) => meta.retinue.model,
  cwd: ({ meta }: AgentOnDisk) => meta.retinue.cwd,
};

/**
 * Whether an agent is one that `--filter` asks for: `state=running`. Of several with one key any may fit, with different keys
 * all must. Ids may be cut short. Throws `invalid_request` for what is no filter.
 */
export function agentFilter(filters: readonly string[]): (agent: AgentOnDisk) => boolean {
  const wanted = Map.groupBy(filters.map(parse), ({ key }) => key);
  return (agent) =>
    wanted
      .entries()
      .every(([key, some]) => some.some(({ value }) => fits(key, readers[key](agent), value)));
}

type Key = keyof typeof readers;

function parse(filter: string): { key: Key; value: string } {
  const [, key = "", value = ""] = /^([a-z]+)=(.*)$/s.exec(filter) ?? [];
  if (!Object.hasOwn(readers, key))
    throw unfit(filter, `write key=value, with one of ${Object.keys(readers).join(", ")}`);
  if (key === "state" && !statesOnDisk.some((state) => state === value))
    throw unfit(filter, `an agent is ${statesOnDisk.join(", ")}`);
  return { key: key as Key, value };
}

function unfit(filter: string, remedy: string): RetinueError {
  return new RetinueError("invalid_request", `--filter ${filter}: ${remedy}.`);
}

function fits(key: Key, actual: string, value: string): boolean {
  const isId = key === "session" || key === "parent";
  return isId && value !== "" ? actual.startsWith(value) : actual === value;
}
