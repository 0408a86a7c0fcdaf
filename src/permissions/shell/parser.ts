import type * as Unbash from "unbash";

let loaded: typeof Unbash | undefined;

/** The parser is large and only commands need it, so a run without any never loads it. Comes before `readShell`. */
export async function loadShellParser(): Promise<void> {
  loaded ??= await import("unbash");
}

export function shellParser(): typeof Unbash {
  if (loaded === undefined) throw new Error("loadShellParser comes before a command is read.");
  return loaded;
}
