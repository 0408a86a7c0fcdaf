// Speaks to a session as if it were the user, past the command line, with the session's real token. Writes what it was told
// to a file. A whole process, because who it is and what started it is what the session looks at.
//
//   node speaking.ts plain|sign ORDER.json [PID]
//
// `plain`: requests as they are. `sign`: they name a process, PID or its own, and the challenge is answered by a sign.
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const [how, file = "", claimed] = process.argv.slice(2);
const { socket, token, id, methods } = JSON.parse(readFileSync(file, "utf8")) as {
  socket: string;
  token: string;
  id: string;
  methods: string[];
};
const told: unknown[] = [];
const pid = Number(claimed ?? process.pid);

const line = connect(socket);
const requests = methods.map((method, index) =>
  JSON.stringify({
    id: index,
    token,
    method,
    params: { id, text: "I am the user." },
    ...(how === "sign" && { pid }),
  }),
);
line.write(`${requests.join("\n")}\n`);
createInterface({ input: line }).on("line", (text) => {
  const reply = JSON.parse(text) as { id: number; challenge?: string };
  if (reply.challenge !== undefined) return sign(reply.id, reply.challenge);
  told.push(reply);
  if (told.length === methods.length) finish();
});

function sign(of: number, challenge: string): void {
  const said = `${challenge}\n${requests[of]}`;
  process.title = createHash("sha256").update(said).digest("base64url").slice(0, 15);
  line.write(`${JSON.stringify({ id: "s", token, method: "signed", params: { of } })}\n`);
}

function finish(): void {
  writeFileSync(`${file}.part`, JSON.stringify(told));
  renameSync(`${file}.part`, `${file}.told`);
  process.exit();
}
