/**
 * Whether a command can touch only the directory it runs in and its home, whatever bash makes of it: commands come from
 * chance and run for real. So a path may not begin with a slash (or with something that may be empty or
 * absolute), and nothing may name the system's programs or processes. An accident may still lengthen the name of a device
 * (a quote before `/dev/null`); only root could make such a file, and root never runs them: see confinement.ts.
 */
export function staysInside(command: string): boolean {
  if (absoluteByOtherMeans.test(command)) return false;
  return [...command.matchAll(/\//g)].every(({ index }) => isHarmlessSlash(command, index));
}

/** The way to absolute paths and to processes without a slash. */
const absoluteByOtherMeans =
  /\$[{!#]*(?:_|BASH|BASH_SOURCE|SHELL|OLDPWD|TMPDIR|DIRSTACK)(?!\w)|\\0?57|\\x2[fF]|\\[uU]0*2[fF]|\b(?:kill|mkfifo|mknod)\b/;

/** Whole, up to what ends a word in bash, which is less than what counts as blank elsewhere. */
const devices = /^\/dev\/(?:null|stdin|fd\/\d)(?=[ \t\n;&|)<>`]|$)/;

function isHarmlessSlash(command: string, at: number): boolean {
  const start = command.lastIndexOf("/dev/", at);
  const device = start === -1 ? null : devices.exec(command.slice(start));
  if (device !== null && at < start + device[0].length) return true;
  const before = command.slice(0, at);
  // A home or working directory, or a name of which some letter is sure to be there.
  if (/(?:^|[ \t\n=:<>(;&|"'])(?:~|~\+|\$PWD|\$HOME)$/.test(before)) return true;
  if (before.endsWith("${HOME")) return true;
  // Two steps up are out.
  return (
    /(?:^|[^\w.${!#@*?-]|(?<![$~])-)[\w.]+$/.test(before) && !/(?:^|[^.])\.\.\/\.\.$/.test(before)
  );
}

/** Asks where a program lies, so that the answer could become a target. */
export function asksWhereProgramsLie(command: string): boolean {
  return /\bwhich\b|\bcommand\b.*-[a-zA-Z]*[vV]|\btype\b|\bhash\b/.test(command);
}
