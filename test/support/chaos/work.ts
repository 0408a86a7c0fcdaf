import { randomOf, type Random } from "../shell-fuzz/random.ts";

/** The work of a session's agents: each appends numbered lines to a file of its own, with a tool. */
export interface Work {
  /** A scenario file. */
  readonly scenario: string;
  /** By worker, how many numbered lines it has to append. */
  readonly lines: ReadonlyMap<string, number>;
}

export const agentTypes = {
  worker: {
    description: "appends lines",
    prompt: "You append lines.",
    tools: ["Bash", "Agent"],
  },
};

/** The main agent starts most workers in one turn, some in the background; of every five one is started by its neighbour. */
export function planWork(options: { agents: number; turns: number; seed: number }): Work {
  const { agents, turns, seed } = options;
  const names = Array.from({ length: agents }, (_, index) => `w${String(index).padStart(3, "0")}`);
  const isBelow = (index: number): boolean => index % 5 === 4;
  const spawn = (index: number): Call => ({
    call: "Agent",
    input: {
      description: names[index] ?? "",
      prompt: `task of ${names[index]}`,
      subagent_type: "worker",
      run_in_background: index % 2 === 1,
    },
  });
  const lines = new Map<string, number>();
  const script: object[] = [
    {
      agent: "main",
      turn: 1,
      reply: names.flatMap((_, index) => (isBelow(index) ? [] : [spawn(index)])),
    },
    { agent: "main", reply: "noted", repeat: true },
  ];
  for (const [index, name] of names.entries()) {
    const random = randomOf(seed, index);
    const task = `task of ${name}`;
    let written = 0;
    const next = (): string => `${name}:${(written += 1)}`;
    const replies: object[][] = [];
    while (replies.length < turns) replies.push(...repliesOf(next, name, random));
    for (const [before, reply] of replies.entries()) {
      const turn = before + 1;
      if (turn === 2 && index + 1 < agents && isBelow(index + 1)) reply.push(spawn(index + 1));
      script.push({ agent: "worker", task, turn, reply });
    }
    lines.set(name, written);
    script.push({ agent: "worker", task, reply: `${name} is done`, repeat: true });
  }
  return { scenario: JSON.stringify({ turns: script }), lines };
}

/** A scenario is small; its templates need not be. */
const muchText = "{{ system }}\n".repeat(200);

interface Call {
  call: string;
  input: Record<string, unknown>;
}

/** Calls that end at once, that take time before or after their effect, that leave processes behind, that go on beside the agent, and much text. */
function repliesOf(next: () => string, name: string, random: Random): object[][] {
  const append = (before = "", after = "", input: object = {}): Call => ({
    call: "Bash",
    input: { command: `${before}echo ${next()} >> effects/${name}${after}`, ...input },
  });
  const kinds: (() => object[][])[] = [
    () => [[append()]],
    () => [[append(), append()]],
    () => [[append("sleep 0.15; ")]],
    () => [[append("", "; sleep 0.15")]],
    () => [[append("", "; seq 1 4000")]],
    () => [[{ text: muchText }, append()]],
    () => [[append("setsid sleep 600 >/dev/null 2>&1 & ")]],
    () => [[append("", "; sleep 0.05"), append("sleep 0.05; "), append()]],
    () => [
      [append(`echo $$ > pid-${name}; sleep 0.1; `, "", { run_in_background: true }), append()],
      [{ call: "Bash", input: { command: untilGone(`pid-${name}`) } }],
    ],
  ];
  return random.pick(kinds)();
}

/** A command in the background ends with its agent, so the agent waits for it; unless a kill has ended it already. */
function untilGone(file: string): string {
  const isThere = `for i in $(seq 100); do [ -s ${file} ] && break; sleep 0.02; done`;
  return `${isThere}; while kill -0 "$(cat ${file})"; do sleep 0.02; done; rm -f ${file}`;
}
