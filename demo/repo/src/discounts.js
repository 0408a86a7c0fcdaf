const percentages = new Map([
  ["WELCOME10", 10],
  ["FRIENDS25", 25],
]);

/** How many cents a code takes off. Unknown codes take off nothing. */
export function discountFor(code, cents) {
  const percent = percentages.get(code) ?? 0;
  return Math.floor((cents * percent) / 100);
}
