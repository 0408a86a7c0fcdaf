import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// So that what a test leaves among temporary files can be told from what others are using. Short: sockets lie there.
const directory = mkdtempSync(join(tmpdir(), "rt-"));
process.env["TMPDIR"] = directory;
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
