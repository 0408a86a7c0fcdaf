/** In milliseconds. Node fires a timer that is set for longer at once. */
export const longestTimer: number = 2 ** 31 - 1;
