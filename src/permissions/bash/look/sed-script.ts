/**
 * Whether a sed script only prints, deletes or substitutes. `e` runs programs, `w`, `W` and `r` touch files, and a script can
 * hide them in many places: what is not one of these simple forms is not recognised.
 */
export function isHarmlessSed(script: string): boolean {
  // What is tried on a script takes longer than it grows.
  if (script.length > 500) return false;
  // A bracket may hide what ends an address or a substitution, and `]` is a member of it where it stands first.
  if (/\[/.test(script.replaceAll(plainBracket, ""))) return false;
  return script.split(/[;\n]/).every((part) => isHarmlessCommand(part.trim()));
}

const plainBracket = /\[\^?[^\]^[\\;/|#,@\n]+\]/g;
const address = String.raw`(?:\d+|\$|/[^/\\;]*/)`;
const commands = new RegExp(
  String.raw`^(?:${address}(?:,(?:${address}|\+\d+))?)?\s*!?\s*(?:[pdq=]|$)$`,
);
/** With the usual delimiters, no escapes of them, and flags that only choose and print. */
const substitution = new RegExp(
  String.raw`^(?:${address}(?:,(?:${address}|\+\d+))?)?\s*s([/|#,@])[^;]*?\1[^;]*?\1[gpiI\d]*$`,
);

function isHarmlessCommand(part: string): boolean {
  if (part === "" || commands.test(part)) return true;
  const found = substitution.exec(part);
  const [, delimiter = ""] = found ?? [];
  // With its delimiter three times, no more, and none escaped: so it is clear where the flags begin.
  return (
    found !== null &&
    !part.includes(`\\${delimiter}`) &&
    part.slice(part.indexOf(`s${delimiter}`)).split(delimiter).length === 4
  );
}
