/** Whether a program is a shell, by its name or path. */
export function isShell(program: string): boolean {
  return /^(?:.*\/)?(?:r?ba|da|z|m?k|a|fi|t?c)?sh$/s.test(program);
}
