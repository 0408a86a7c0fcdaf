/** The longest timer of Node, in milliseconds. A longer one fires at once. */
export const longestTimer: number = 2 ** 31 - 1;
