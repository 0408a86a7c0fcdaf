/** A value as one line for `readline`, which also ends lines at two characters that JSON leaves as they are. */
export function oneLine(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(
    /[\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
  return `${text}\n`;
}
