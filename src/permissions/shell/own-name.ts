/**
 * Whether a variable of this name is the script's own. Those that bash and programs look at are written in capitals, or are
 * for proxies or package managers, which hand theirs down to everything that they start.
 */
export function isOwnName(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !/_proxy$|^p?npm_|^yarn_/.test(name);
}
