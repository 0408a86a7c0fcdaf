import { closeSync, constants, lstatSync, openSync, readlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { owner } from "./owner.ts";

/**
 * Marks that every process of an agent inherits, so that it can be found: its Retinue, agent and call. Each mark exists
 * twice: in the environment, and as the name of an open file, which `env -i` does not touch. A Retinue that an agent
 * started adds its own marks to those it inherited; its processes belong to both.
 */
export interface Marks {
  readonly owners: readonly string[];
  readonly agents: readonly string[];
  readonly calls: readonly string[];
}

export const ownerVariable = "RETINUE_OWNER";
export const agentVariable = "RETINUE_AGENT";
export const callVariable = "RETINUE_CALL";

/** The environment with one more of each mark. */
export function markedEnvironment(
  env: NodeJS.ProcessEnv,
  mark: { agent: string; call: string },
): NodeJS.ProcessEnv {
  const and = (name: string, value: string): Record<string, string> => ({
    [name]: [...listed(env[name]), value].join(","),
  });
  return {
    ...env,
    ...and(ownerVariable, owner),
    ...and(agentVariable, mark.agent),
    ...and(callVariable, mark.call),
  };
}

/**
 * Opens the file whose name is the mark. The file is empty and already removed: the link in /proc still shows its name,
 * and nothing is left behind. Undefined if no such link can be read or no file can be made.
 */
export function openMark(mark: { agent: string; call: string }): number | undefined {
  if (process.platform !== "linux") return undefined;
  const path = join(tmpdir(), `${prefix}${[owner, mark.agent, mark.call].join("~")}`);
  const { O_RDONLY, O_CREAT, O_EXCL } = constants;
  let file: number | undefined;
  try {
    file = openSync(path, O_RDONLY | O_CREAT | O_EXCL, 0o400);
    unlinkSync(path);
    return file;
  } catch {
    if (file !== undefined) closeSync(file);
    return undefined;
  }
}

const prefix = "retinue-mark~";

/**
 * The descriptors of marks, by the depth of one Retinue below another. No script uses numbers this high, bash has none
 * of its own there (10-63, 255), and Node, which closes the low ones it inherited, passes these on.
 */
const descriptors = [64, 65, 66, 67, 68, 69, 70, 71] as const;
let ownDescriptor: number | undefined;

/** The first descriptor that is not the mark of a Retinue above us. */
export function markDescriptor(): number {
  ownDescriptor ??=
    descriptors.find((number) => {
      const found = markAt("self", number)?.owner;
      return found === undefined || found === owner;
    }) ?? descriptors[descriptors.length - 1];
  return ownDescriptor ?? descriptors[0];
}

/** The marks of a process, from its environment and, on Linux, from its open files. */
export function readMarks(environment: readonly string[], pid?: string): Marks {
  const owners = listed(variableIn(environment, ownerVariable));
  const agents = listed(variableIn(environment, agentVariable));
  const calls = listed(variableIn(environment, callVariable));
  for (const number of pid === undefined ? [] : descriptors) {
    const mark = markAt(pid ?? "", number);
    if (mark === undefined) break;
    if (!owners.includes(mark.owner)) owners.push(mark.owner);
    if (!agents.includes(mark.agent)) agents.push(mark.agent);
    if (!calls.includes(mark.call)) calls.push(mark.call);
  }
  return { owners, agents, calls };
}

function markAt(
  pid: string,
  descriptor: number,
): { owner: string; agent: string; call: string } | undefined {
  const link = `/proc/${pid}/fd/${descriptor}`;
  let target: string;
  try {
    // Most processes have no such descriptor, and an error for each would cost more than the check.
    if (lstatSync(link, { throwIfNoEntry: false }) === undefined) return undefined;
    target = readlinkSync(link, "latin1");
  } catch {
    return undefined;
  }
  const [, from, agent, call] =
    /\/retinue-mark~([^~/]+)~([^~/]+)~([^~/ ]+)(?: \(deleted\))?$/.exec(target) ?? [];
  if (from === undefined || agent === undefined || call === undefined) return undefined;
  return { owner: from, agent, call };
}

function listed(value: string | undefined): string[] {
  return value === undefined || value === "" ? [] : value.split(",");
}

function variableIn(environment: readonly string[], name: string): string | undefined {
  return environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
}
