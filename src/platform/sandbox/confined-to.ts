/** What a command that nobody approved may do: look at the working directories, or also edit them. */
export type ConfinedTo = "look" | "edit";
