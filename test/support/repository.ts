import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, writeFiles } from "./stage.ts";
import type { Ran } from "./started.ts";
import { bin } from "./bin.ts";

export interface Shop {
  cwd: string;
  config: string;
  retinue: (...args: string[]) => Ran;
  json: (...args: string[]) => unknown;
}

/** A repository with these files, and those of its user. */
export function shop(files: Record<string, string> = {}, user: Record<string, string> = {}): Shop {
  const root = temporaryDirectory();
  const [cwd, config] = [join(root, "work"), join(root, "config")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  writeFiles(cwd, files);
  writeFiles(config, user);
  const env = { ...process.env, CLAUDE_CONFIG_DIR: config, NO_COLOR: "1", COLUMNS: "" };
  const retinue = (...args: string[]): Ran => {
    const ran = spawnSync(process.execPath, [bin, ...args], {
      cwd,
      env,
      encoding: "utf8",
      timeout: 50_000,
    });
    return { code: ran.status, stdout: ran.stdout, stderr: ran.stderr };
  };
  return {
    cwd,
    config,
    retinue,
    json: (...args) => JSON.parse(retinue(...args).stdout) as unknown,
  };
}

export const agent = (fields: string): string => `---\n${fields}\n---\nYou work.\n`;
const reviewer = agent(
  "name: reviewer\ndescription: Reviews code\ntools: Read, Grep, Nothing\ndisallowedTools: Grep\nmodel: haiku\nmemory: project\nskills: [style]\nmcpServers: [tracker]\nhooks: {Stop: [{hooks: [{type: command, command: ./x}]}]}",
);
/** One that wins, one that it shadows, one that is broken, and one that is none. */
export const project = {
  ".claude/agents/reviewer.md": reviewer,
  ".claude/agents/z/reviewer.md": agent("name: reviewer\ndescription: again"),
  ".claude/agents/broken.md": agent("name: broken\ndescription: [a]"),
  ".claude/agents/notes.md": "# Notes\n",
};
export const user = { "agents/reviewer.md": agent("name: reviewer\ndescription: mine") };
