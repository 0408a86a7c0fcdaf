/**
 * Directories that programs act on by themselves: a process that can write these can run code later, or change what is
 * allowed. Permissions ask about them, and the sandbox protects them.
 */
export const protectedDirectories: readonly string[] = [
  ".git",
  ".config/git",
  ".vscode",
  ".idea",
  ".husky",
  ".cargo",
  ".devcontainer",
  ".yarn",
  ".mvn",
  ".claude",
];

/** Files that disturb no program if they are empty. */
const harmlessFiles: readonly string[] = [
  ".gitconfig",
  ".gitmodules",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_aliases",
  ".bash_logout",
  ".zshrc",
  ".zprofile",
  ".zshenv",
  ".zlogin",
  ".zlogout",
  ".profile",
  ".envrc",
  ".npmrc",
  ".devcontainer.json",
  ".ripgreprc",
  ".mcp.json",
  ".claude.json",
];

/** Files that programs read even if they are empty, and then work differently or not at all. */
const tellingFiles: readonly string[] = [
  ".yarnrc",
  ".yarnrc.yml",
  ".pnp.cjs",
  ".pnp.loader.mjs",
  ".pnpmfile.cjs",
  "bunfig.toml",
  ".bunfig.toml",
  ".bazelrc",
  ".bazelversion",
  ".bazeliskrc",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  "lefthook.yaml",
  ".lefthook.yml",
  ".lefthook.yaml",
  "gradle-wrapper.properties",
  "maven-wrapper.properties",
  "pyrightconfig.json",
];

export const protectedFiles: readonly string[] = [...harmlessFiles, ...tellingFiles];

/** Protected names that may exist as empty files or directories before anyone has made them. */
export const harmlessWhenEmpty: readonly string[] = [
  ".claude",
  ".vscode",
  ".idea",
  ".husky",
  ".devcontainer",
  ...harmlessFiles,
];
