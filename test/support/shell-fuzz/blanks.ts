/** Characters that separate words, and others that look as if they did. */
export const blanks: readonly string[] = [
  " ",
  "\t",
  "\n",
  "\r",
  "\v",
  "\f",
  "\u0001",
  "\u007F",
  "\u00A0",
  "\u2028",
  "\u200B",
  "\u3000",
];
