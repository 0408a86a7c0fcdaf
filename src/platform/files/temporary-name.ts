/** How the name of a temporary directory begins: with what it is for, and whose it is. */
export function temporaryName(kind: "bash" | "tmp"): string {
  return `retinue-${kind}-${process.pid}-`;
}

/** The process that made a temporary directory; nothing for names of another form. */
export function ownerOf(name: string): number | undefined {
  const [, pid] = /^retinue-(?:bash|tmp)-(\d+)-\w{6}$/.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
