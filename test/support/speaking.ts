// Speaks to a session as if it were the user, past the command line, with the session's real token. Writes what it was told
// to a file. A whole process, because who it is and what started it is what the session looks at.
//
//   node speaking.ts dial|listen ORDER.json [PID]
//
// `dial`: requests go over the session's socket. `listen`: they go over the connection on which the session calls back, and
// the process says that it is PID; without one it says the truth.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

const [how, file = "", claimed] = process.argv.slice(2);
const { socket, token, id, methods } = JSON.parse(readFileSync(file, "utf8")) as {
  socket: string;
  token: string;
  id: string;
  methods: string[];
};
const told: unknown[] = [];

const main = connect(socket);
if (how === "dial") askAll(main);
else beCalled();

function askAll(line: Socket): void {
  for (const [index, method] of methods.entries())
    line.write(
      `${JSON.stringify({ id: index, token, method, params: { id, text: "I am the user." } })}\n`,
    );
  read(line, (reply) => {
    told.push(reply);
    if (told.length === methods.length) finish();
  });
}

function beCalled(): void {
  const tag = createHash("sha256").update(token).digest("hex").slice(0, 16);
  const address = `@retinue-${tag}-${randomBytes(8).toString("hex")}`;
  const secret = randomBytes(32).toString("base64url");
  createServer((line) => line.once("data", () => askAll(line))).listen(
    `\0${address.slice(1)}`,
    () => {
      const params = { pid: Number(claimed ?? process.pid), address, secret };
      main.write(`${JSON.stringify({ id: 0, token, method: "speak", params })}\n`);
    },
  );
  read(main, (reply) => {
    if (!("error" in reply)) return;
    told.push(reply);
    finish();
  });
}

function read(line: Socket, take: (reply: Record<string, unknown>) => void): void {
  createInterface({ input: line }).on("line", (text) =>
    take(JSON.parse(text) as Record<string, unknown>),
  );
}

function finish(): void {
  writeFileSync(`${file}.part`, JSON.stringify(told));
  renameSync(`${file}.part`, `${file}.told`);
  process.exit();
}
