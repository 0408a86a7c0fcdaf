/**
 * The folders and files of `src/`, from the ground up. A file may import from its own floor and from those below, never
 * from above. The linter and the test of the architecture both read this list.
 */
export const floors: readonly (readonly string[])[] = [
  ["contract"],
  ["platform", "processes", "redact", "settings", "plugins", "events", "transcript"],
  ["model", "tools", "permissions", "inbox"],
  ["loop"],
  ["lifecycle"],
  ["definitions", "resolve", "route.ts"],
  [
    "session",
    "spawn.ts",
    "branch.ts",
    "resume.ts",
    "steer.ts",
    "give-task.ts",
    "manager.ts",
    "control",
    "index.ts",
  ],
  ["cli", "testing"],
];
