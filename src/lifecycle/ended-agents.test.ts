import { expect, test } from "vitest";
import { parseAgentId, type AgentId } from "../ids.ts";
import { EndedAgents, type KnownAgent } from "./ended-agents.ts";

function id(text: string): AgentId {
  const agentId = parseAgentId(text);
  if (agentId === undefined) throw new Error(`${text} is no id`);
  return agentId;
}

type Changing<Thing> = { -readonly [Name in keyof Thing]: Thing[Name] };

/** Agents that take ten tokens each; `known` are those in memory. */
function bookkeeping() {
  const known = new Map<AgentId, Changing<KnownAgent>>();
  const unreadable = new Set<AgentId>();
  const ended = new EndedAgents({
    openedAt: 100,
    known: (agentId) => known.get(agentId),
    letGo: (agentId) => known.delete(agentId),
  });
  const spawn = (name: string, parent: string | null = null, costUsd: number | null = 1): void => {
    const relates = { parentId: parent === null ? null : id(parent), depth: 1 };
    const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 };
    const running = {
      agent: { id: id(name), type: "worker", relates },
      files: {
        get tellEnd() {
          return !unreadable.has(id(name));
        },
      },
      hasEnded: false,
      endedAt: undefined as number | undefined,
      usage: () => usage,
      costUsd: () => costUsd,
    };
    known.set(running.agent.id, running);
    ended.enter(running);
  };
  const one = (name: string): Changing<KnownAgent> => {
    const running = known.get(id(name));
    if (running === undefined) throw new Error(`${name} is not known`);
    return running;
  };
  const end = (name: string): KnownAgent => {
    const running = one(name);
    running.hasEnded = true;
    running.endedAt = 101;
    ended.note(running);
    return running;
  };
  return { unreadable, ended, spawn, one, end, names: () => [...known.keys()] };
}

test("an agent that has ended leaves, and stays in the sum", () => {
  const { spawn, end, names, ended } = bookkeeping();
  for (const name of ["a", "b", "c"]) spawn(name);
  end("c");
  end("a");

  expect(names()).toEqual(["b"]);
  expect(ended.left.totals()).toMatchObject({ agents: 2, usage: { input: 20 }, costUsd: 2 });
});

test("a parent leaves after its children", () => {
  const { spawn, end, names, ended } = bookkeeping();
  spawn("top");
  spawn("parent", "top");
  spawn("child", "parent");
  end("parent");
  expect(names()).toEqual(["top", "parent", "child"]);

  end("child");
  expect(names()).toEqual(["top"]);
  expect(ended.left.totals()).toMatchObject({ agents: 2 });
});

test("a parent that works again when its last child leaves stays", () => {
  const { spawn, one, end, names } = bookkeeping();
  spawn("parent");
  spawn("child", "parent");
  end("parent");
  one("parent").hasEnded = false;
  end("child");
  expect(names()).toEqual(["parent"]);
  end("parent");
  expect(names()).toEqual([]);
});

test("an agent that its files do not tell of stays", () => {
  const { spawn, end, unreadable, names } = bookkeeping();
  unreadable.add(id("a"));
  for (const name of ["a", "b"]) spawn(name);
  end("a");
  end("b");
  expect(names()).toEqual(["a"]);
});

test("an agent that comes back is no longer among those that left, known price or not", () => {
  const { spawn, end, ended } = bookkeeping();
  spawn("parent");
  spawn("dear", "parent", null);
  spawn("cheap", "parent");
  const dear = end("dear");
  end("cheap");
  expect(ended.left.totals()).toMatchObject({ agents: 2, costUsd: null });

  ended.comeBack(dear);

  expect(ended.left.totals()).toMatchObject({ agents: 1, usage: { input: 10 }, costUsd: 1 });
});

test("an agent of another process that is read here was never among those that left", () => {
  const { spawn, one, end, ended } = bookkeeping();
  spawn("own");
  end("own");
  spawn("other");

  ended.comeBack({ ...one("other"), endedAt: 99 });

  expect(ended.left.totals()).toMatchObject({ agents: 1, usage: { input: 10 } });
});

test("a child that was removed keeps its parent no longer", () => {
  const { spawn, one, end, ended, unreadable, names } = bookkeeping();
  unreadable.add(id("child"));
  spawn("parent");
  spawn("child", "parent");
  end("child");
  end("parent");
  expect(names()).toEqual(["parent", "child"]);
  ended.remove(one("child"));
  expect(names()).toEqual(["child"]);
});
