import { expect, test } from "vitest";
import { parseAgentId, type AgentId } from "../ids.ts";
import { EndedAgents, type Keep, type KnownAgent } from "./ended-agents.ts";

function id(text: string): AgentId {
  const agentId = parseAgentId(text);
  if (agentId === undefined) throw new Error(`${text} is no id`);
  return agentId;
}

type Changing<Thing> = { -readonly [Name in keyof Thing]: Thing[Name] };

/** Agents that take `tokens` each; `known` are those in memory. */
function bookkeeping(keep: Partial<Keep>) {
  const known = new Map<AgentId, Changing<KnownAgent>>();
  const unreadable = new Set<AgentId>();
  const ended = new EndedAgents({
    openedAt: 100,
    keep: { agents: 2, characters: 1000, ...keep },
    canReadBack: (agentId) => !unreadable.has(agentId),
    known: (agentId) => known.get(agentId),
    forget: (agentId) => known.delete(agentId),
  });
  const spawn = (name: string, parent: string | null = null, costUsd: number | null = 1): void => {
    const relates = { parentId: parent === null ? null : id(parent), depth: 1 };
    const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 };
    const running = {
      agent: { id: id(name), type: "worker", relates },
      hasEnded: false,
      endedAt: undefined as number | undefined,
      content: "",
      usage: () => usage,
      costUsd: () => costUsd,
    };
    known.set(running.agent.id, running);
    ended.enter(running);
  };
  const end = (name: string, content = ""): void => {
    const running = known.get(id(name));
    if (running === undefined) throw new Error(`${name} is not known`);
    running.hasEnded = true;
    running.endedAt = 101;
    running.content = content;
    ended.note(running);
  };
  return { known, unreadable, ended, spawn, end, names: () => [...known.keys()] };
}

test("the agents that ended first are forgotten, and stay in the sum", () => {
  const { spawn, end, names, ended } = bookkeeping({});
  for (const name of ["a", "b", "c", "d"]) spawn(name);
  for (const name of ["c", "a", "d", "b"]) end(name);

  expect(names()).toEqual(["b", "d"]);
  expect(ended.count).toBe(2);
  expect(ended.forgotten.totals()).toMatchObject({ agents: 2, usage: { input: 20 }, costUsd: 2 });
});

test("a parent is forgotten after its children, and then what they took is its own parent's", () => {
  const { spawn, end, names, ended } = bookkeeping({ agents: 1 });
  spawn("top");
  spawn("parent", "top");
  spawn("child", "parent");
  spawn("other");
  end("parent");
  end("other");
  expect(names()).toEqual(["top", "parent", "child", "other"]);

  end("child");
  expect(names()).toEqual(["top", "parent", "child"]);
  spawn("last");
  end("last");

  expect(names()).toEqual(["top", "last"]);
  expect(ended.forgottenBelow(id("top"))?.totals()).toMatchObject({ agents: 2, costUsd: 2 });
  expect(ended.forgotten.totals()).toMatchObject({ agents: 3 });
});

test("long results are let go of sooner, but the last one stays", () => {
  const { spawn, end, names } = bookkeeping({ agents: 100, characters: 10 });
  for (const name of ["a", "b", "c"]) spawn(name);
  end("a", "123456");
  end("b", "1234");
  expect(names()).toEqual(["a", "b", "c"]);
  end("c", "more than ten characters");
  expect(names()).toEqual(["c"]);
});

test("an agent that works again is not forgotten until it has ended again", () => {
  const { spawn, end, known, names } = bookkeeping({ agents: 1 });
  for (const name of ["a", "b", "c"]) spawn(name);
  end("a");
  const again = known.get(id("a"));
  if (again !== undefined) again.hasEnded = false;
  end("b");
  expect(names()).toEqual(["a", "b", "c"]);
  end("a");
  expect(names()).toEqual(["a", "c"]);
});

test("an agent that its files do not tell of stays", () => {
  const { spawn, end, unreadable, names } = bookkeeping({ agents: 0 });
  unreadable.add(id("a"));
  for (const name of ["a", "b"]) spawn(name);
  end("a");
  end("b");
  expect(names()).toEqual(["a"]);
});

test("an agent that comes back is no longer among the forgotten, known price or not", () => {
  const { spawn, end, known, ended } = bookkeeping({ agents: 0 });
  spawn("parent");
  spawn("dear", "parent", null);
  spawn("cheap", "parent");
  const dear = known.get(id("dear"));
  end("dear");
  end("cheap");
  expect(ended.forgotten.totals()).toMatchObject({ agents: 2, costUsd: null });

  if (dear !== undefined) {
    dear.hasEnded = false;
    ended.comeBack(dear, { isKnown: false });
    ended.comeBack(dear, { isKnown: true });
  }

  expect(ended.count).toBe(1);
  for (const tally of [ended.forgotten, ended.forgottenBelow(id("parent"))]) {
    expect(tally?.totals()).toMatchObject({ agents: 1, usage: { input: 10 }, costUsd: 1 });
  }
});

test("an agent of another process that is read here was never among the forgotten", () => {
  const { spawn, end, known, ended } = bookkeeping({ agents: 0 });
  spawn("own");
  end("own");
  spawn("other");
  const other = known.get(id("other"));
  if (other === undefined) throw new Error("it was spawned");

  ended.comeBack({ ...other, hasEnded: false, endedAt: 99 }, { isKnown: false });

  expect(ended.count).toBe(1);
  expect(ended.forgotten.totals()).toMatchObject({ agents: 1, usage: { input: 10 } });
});
