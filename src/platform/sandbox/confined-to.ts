/** The limit of a command that nobody approved: look at the working directories, or also edit them. */
export type ConfinedTo = "look" | "edit";
