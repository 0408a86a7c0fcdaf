import { RetinueError } from "../contract/errors.ts";

/** Whether a session still takes work. It is asked again where the work begins: between asking and beginning it may end. */
export interface Life {
  isOver: boolean;
}

export function refuseWhenOver({ life }: { readonly life: Life }): void {
  if (life.isOver) throw new RetinueError("closed", "The manager is closed. Create a new one.");
}
