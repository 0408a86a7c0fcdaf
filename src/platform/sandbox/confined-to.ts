/** The limit of a command that needed no approval: look at the working directories, or also edit them. */
export type ConfinedTo = "look" | "edit";
