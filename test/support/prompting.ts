// A live view on a real terminal with one question in it, for tests that press keys.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InboxPrompt } from "../../src/cli/inbox/inbox-prompt.ts";
import { KeyLayers } from "../../src/cli/terminal/key-layers.ts";
import { LiveView } from "../../src/cli/views/live-view.ts";
import { AuditLog } from "../../src/inbox/audit.ts";
import { Grants } from "../../src/inbox/grants.ts";
import type { AskInput } from "../../src/inbox/inbox-options.ts";
import { Inbox } from "../../src/inbox/inbox.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { silentLogger } from "../../src/platform/logger.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "retinue-prompting-")));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));
const common = { clock, logger: silentLogger, sessionId: "s" };
const now = (): number => clock.now();
await using inbox = new Inbox({
  ...common,
  directory: join(root, "inbox"),
  audit: new AuditLog({ path: join(root, "audit.jsonl"), logger: silentLogger, now }),
  grants: new Grants({ cwd: root, configDir: root, now }),
});
using view = new LiveView({ stream: process.stderr });
using keys = new KeyLayers({ view, input: process.stdin });
using prompt = new InboxPrompt({ inbox, keys });
void prompt;
const asked = JSON.parse(process.env["ASK"] ?? "{}") as AskInput;
const answered = await inbox.ask(asked, new AbortController().signal);
process.stdout.write(`ANSWER ${JSON.stringify(answered)} raw=${String(process.stdin.isRaw)}\n`);
