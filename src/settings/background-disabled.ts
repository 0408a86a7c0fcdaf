/** Whether the environment forbids background work. */
export function backgroundDisabled(env: NodeJS.ProcessEnv): boolean {
  const value = env["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"] ?? "";
  return /^(?:1|true|yes|on)$/i.test(value.trim());
}
