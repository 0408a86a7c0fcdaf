// A Retinue of its own, for tests that kill one: starts a script as an agent would, passes its output on, and stays.
import { ProcessTree } from "../../src/processes/process-tree.ts";

const [agent = "", script = ""] = process.argv.slice(2);
const tree = new ProcessTree(agent);
const child = tree.start("bash", ["-c", script], { cwd: "/", env: process.env });
child.stdout.pipe(process.stdout);
setInterval(() => undefined, 60_000);
