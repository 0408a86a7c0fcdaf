// Asks through an inbox of its own, which a socket serves, and prints what comes of it: one JSON line for each event and each
// answer. A whole process, because what another terminal answers and what a kill leaves behind can only be seen from outside.
import { join } from "node:path";
import type { ControlPort } from "../../src/control/control-port.ts";
import { openSocket } from "../../src/control/open-socket.ts";
import { AuditLog } from "../../src/inbox/audit.ts";
import { Grants } from "../../src/inbox/grants.ts";
import type { AskInput } from "../../src/inbox/inbox-options.ts";
import { Inbox } from "../../src/inbox/inbox.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { silentLogger } from "../../src/platform/logger.ts";
import { newSessionId } from "../../src/contract/ids.ts";
import { takeLease } from "../../src/transcript/lease/take-lease.ts";
import { projectDirectory, sessionPaths } from "../../src/transcript/paths.ts";

const configDir = process.env["CLAUDE_CONFIG_DIR"] ?? "";
const cwd = process.cwd();
const sessionId = newSessionId();
const paths = sessionPaths(projectDirectory(configDir, cwd), sessionId);
const now = (): number => clock.now();
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

await using inbox = new Inbox({
  sessionId,
  directory: paths.inboxDir,
  audit: new AuditLog({ path: paths.auditLog, logger: silentLogger, now }),
  grants: new Grants({ cwd, configDir: join(configDir), now }),
  clock,
  logger: silentLogger,
  attended: true,
});
const lease = takeLease(paths);
const port = {
  sessionId,
  inbox,
  noteRefusal: (...refused: Parameters<Inbox["noteRefusal"]>) => inbox.noteRefusal(...refused),
} as unknown as ControlPort;
const { path, server } = await openSocket(port, lease.token);
lease.announce(path);
inbox.subscribe((event) => print({ event: event.type, id: event.request.id }));
const asks = JSON.parse(process.argv[2] ?? "[]") as AskInput[];
await Promise.all(
  asks.map(async (input) => {
    const answered = await inbox.ask(input, new AbortController().signal);
    print({ agentId: input.agentId, ...answered });
  }),
);
await server.close();
lease.release();
