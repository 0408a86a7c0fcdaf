import { RetinueError } from "../contract/errors.ts";

/**
 * Whether a session still accepts work. Checked again where the work begins, because the session may end in between.
 */
export interface Life {
  isOver: boolean;
}

export function refuseWhenOver({ life }: { readonly life: Life }): void {
  if (life.isOver) throw new RetinueError("closed", "The manager is closed. Create a new one.");
}
