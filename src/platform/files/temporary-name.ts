/** The prefix of a temporary directory's name: its purpose and its owner. */
export function temporaryName(kind: "bash" | "tmp"): string {
  return `retinue-${kind}-${process.pid}-`;
}

/** The process that made a temporary directory; nothing for names of another form. */
export function ownerOf(name: string): number | undefined {
  const [, pid] = /^retinue-(?:bash|tmp)-(\d+)-\w{6}$/.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
