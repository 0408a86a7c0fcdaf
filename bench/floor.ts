/**
 * The least that a program must do for the same work: the same requests, in the same order, with nothing around them. No
 * limits, no permissions, no transcripts, no retries, and every child at once. Imports nothing but Node, because its
 * start is measured too.
 *
 * Usage: node floor.js <url> <prompt>; or as a module, for many agents in one process.
 */
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";

interface Block {
  type: "text" | "tool_use";
  id?: string;
  text?: string;
  input?: Record<string, string>;
}

interface Actor {
  tool: object;
  act: (input: Record<string, string>) => Promise<string>;
}

/** The agents of one process: they share their connections. `onRequest` is called just before each request. */
export function openFloor(url: string, onRequest: () => void = () => undefined): Floor {
  const target = new URL("/v1/messages", url);
  const connections = new Agent({ keepAlive: true });
  const reader: Actor = {
    tool: tool("Read", ["file_path"]),
    act: ({ file_path = "" }) => readFile(file_path, "utf8"),
  };
  const delegator: Actor = {
    tool: tool("Agent", ["description", "prompt", "subagent_type"]),
    act: ({ prompt = "" }) => converse(prompt, reader),
  };
  return {
    delegate: (prompt) => converse(prompt, delegator),
    read: (prompt) => converse(prompt, reader),
    close: () => connections.destroy(),
  };

  async function converse(prompt: string, { tool, act }: Actor): Promise<string> {
    const messages: object[] = [{ role: "user", content: prompt }];
    for (;;) {
      onRequest();
      const body = { model: "floor", max_tokens: 1000, stream: true, tools: [tool], messages };
      const content = await ask(body, target, connections);
      const calls = content.filter(({ type }) => type === "tool_use");
      if (calls.length === 0) return content.map(({ text }) => text).join("");
      const results = await Promise.all(
        calls.map(async ({ id, input = {} }) => {
          return { type: "tool_result", tool_use_id: id, content: await act(input) };
        }),
      );
      messages.push({ role: "assistant", content }, { role: "user", content: results });
    }
  }
}

export interface Floor {
  /** Runs a main agent that delegates the work. */
  delegate(prompt: string): Promise<string>;
  /** Runs an agent that reads files. */
  read(prompt: string): Promise<string>;
  close(): void;
}

if (import.meta.main) {
  const [url = "", prompt = ""] = process.argv.slice(2);
  const floor = openFloor(url);
  process.stdout.write(`${await floor.delegate(prompt)}\n`);
  floor.close();
}

function ask(body: object, target: URL, connections: Agent): Promise<Block[]> {
  const text = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
  };
  return new Promise((resolve, reject) => {
    const sending = request(target, { method: "POST", agent: connections, headers }, (response) => {
      let stream = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => (stream += piece));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(blocksOf(stream));
        else reject(new Error(`${response.statusCode}: ${stream}`));
      });
    });
    sending.on("error", reject).end(text);
  });
}

function blocksOf(stream: string): Block[] {
  const blocks: Block[] = [];
  for (const line of stream.split("\n")) {
    if (!line.startsWith("data: ")) continue;
    const { type, index, content_block, delta } = JSON.parse(line.slice(6)) as {
      type: string;
      index: number;
      content_block: Block;
      delta: { text?: string; partial_json?: string };
    };
    if (type === "content_block_start") blocks[index] = content_block;
    const block = blocks[index];
    if (type !== "content_block_delta" || block === undefined) continue;
    if (delta.partial_json === undefined) block.text = `${block.text}${delta.text}`;
    else block.input = JSON.parse(delta.partial_json) as Record<string, string>;
  }
  return blocks;
}

function tool(name: string, fields: readonly string[]): object {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: "string" }]));
  return { name, input_schema: { type: "object", properties, required: fields } };
}
