import { literalWord, unknownWords, type ShellWord } from "../../shell/shell-word.ts";
import { resemblesProtected } from "../../protected.ts";
import { percentDecoded } from "../../rules/percent-decoded.ts";
import { nothing, type FileUse } from "./use.ts";

/** Options in front of whose value the letters of a bundle end, for compressors. */
const withValue = /[SDToMBp].*$/s;

const compressors =
  /^(?:gzip|pigz|bzip2|pbzip2|lbzip2|xz|pixz|lzma|zstd|zstdmt|pzstd|lz4|lzip|plzip|lzop|brotli|compress)$/;
const expanders =
  /^(?:gunzip|unpigz|bunzip2|unxz|unlzma|unzstd|unlz4|uncompress|uudecode|uudeview|unrar|unar|unace|cabextract|cpio|patch|split|csplit)$/;
const renamers = /^(?:rename(?:\.ul)?|prename|perl-rename|file-rename|mmv|qmv|vidir)$/;
const downloaders = /^(?:aria2c|axel|yt-dlp|youtube-dl|lftp|ftp|sftp|ncftpget|lwp-download)$/;
const suffixes = ".gz .bz2 .xz .lzma .zst .lz4 .lz .lzo .br .Z".split(" ");

/**
 * The files of a program that writes names which it makes out of others, or finds in an archive or on the web. `null`: the
 * program is none of these.
 */
export function usesOfNameMaker(
  name: string,
  args: readonly ShellWord[],
  operands: readonly ShellWord[],
): FileUse | null {
  const reading = { ...nothing, reads: operands };
  const isOdd = args.some(({ pieces }) =>
    pieces.some((text) => resemblesProtected(percentDecoded(text ?? ""))),
  );
  const anywhere = isOdd ? ({ writesAnywhere: true } as const) : {};
  const making = { ...reading, writes: [unknownWords], ...anywhere };
  if (renamers.test(name))
    return { ...making, reads: [], writes: [...operands, unknownWords], whole: operands };
  if (expanders.test(name) || compressors.test(name)) {
    if (printsOnly(name, args)) return reading;
    const written = expanders.test(name) ? null : compressed(name, args, operands);
    return written === null ? making : { ...reading, writes: written };
  }
  if (downloaders.test(name)) return making;
  const isKnown = knownVerbs.get(name);
  return isKnown === undefined || isKnown(args.map(({ text }) => text)) ? null : making;
}

/** Programs that make names only with some arguments, each with those for which they do not. */
const knownVerbs: ReadonlyMap<string, (args: readonly string[]) => boolean> = new Map([
  ...["tar", "bsdtar"].map((name): [string, (args: readonly string[]) => boolean] => [
    name,
    ([first = "", ...others]) =>
      !/^[A-Za-z]*x/.test(first) &&
      ![first, ...others].some((text) => /^-[A-Za-z]*x|^--(?:ext|g)/.test(text)),
  ]),
  ...["7z", "7za", "7zz", "7zr", "rar"].map(
    (name): [string, (args: readonly string[]) => boolean] => [
      name,
      ([verb = ""]) => /^(?:a|b|d|h|i|l|t|u)$/.test(verb),
    ],
  ),
  ["ar", (args) => isVerb(args, /^[a-wyz]+$/i) && !args.some(isBundleOf(/[xM]/))],
  ["jar", (args) => isVerb(args, /^[a-wyz0]+$/i) && !args.some(isBundleOf(/x/))],
  ["pax", (args) => !args.some(isBundleOf(/r/))],
  ["unzip", ([first = ""]) => /^-q*[clptvzZ]/.test(first)],
  ["curl", (args) => !args.some((text, at) => curlNames(text, args[at - 1] ?? ""))],
  ["wget", (args) => args.some((text, at) => wgetFile.test(text) && !takesNext(args[at - 1]))],
]);

const wgetFile = /^(?:-\w*O|--(?:output-document|spider|help)(?:=|$))/;

/** Whether the first argument is a verb, with a dash in front or not. */
function isVerb([first = ""]: readonly string[], verbs: RegExp): boolean {
  return verbs.test(first.replace(/^-/, ""));
}

function isBundleOf(letters: RegExp): (text: string) => boolean {
  return (text) => text.startsWith("--") || (text.startsWith("-") && letters.test(text));
}

/** Whether an option may take the next word for its value: all but a few that are known. */
function takesNext(option = ""): boolean {
  if (!option.startsWith("-") || option.includes("=")) return false;
  return !/^(?:-[qvcdfkrnN0-9]+|--(?:quiet|verbose|force|keep|decompress|continue|no-[\w-]+))$/.test(
    option,
  );
}

/** Options of curl that take names from the other side, from a pattern or from a file. */
function curlNames(text: string, before: string): boolean {
  if (/^--(?:rem|output-|conf)/.test(text)) return true;
  if (/^-\w*o$|^--output$/.test(before) || /^(?:-\w*o|--output=)./.test(text))
    return text.includes("#");
  const [letters = ""] = /^-(?!-)[^AbcCdDeEFHmoPQrtTuUwxXyYz]*/.exec(text) ?? [];
  return /[OJK]/.test(letters);
}

/** Whether a compressor writes to its output, or only tests and lists. */
function printsOnly(name: string, args: readonly ShellWord[]): boolean {
  if (name === "split" || name === "csplit" || name === "cpio" || name === "patch") return false;
  const end = args.findIndex(({ text }) => text === "--");
  const given = (end === -1 ? args : args.slice(0, end)).map(({ text }) => text);
  return given.some((text, at) => {
    if (takesNext(given[at - 1])) return false;
    return text.startsWith("--")
      ? /^--(?:st|to-stdout|te|li)/.test(text)
      : text.startsWith("-") && /[ctl]/.test(text.replace(withValue, ""));
  });
}

/** The files of a compressor with its usual suffix; `null`: it expands, takes another suffix or walks. */
function compressed(
  name: string,
  args: readonly ShellWord[],
  operands: readonly ShellWord[],
): ShellWord[] | null {
  const isOther = args.some(({ text, isStatic }) =>
    text.startsWith("--")
      ? /^--(?:d|u|su|rec|na)/.test(text)
      : !isStatic || (text.startsWith("-") && /[drSN]/.test(text)),
  );
  if (isOther) return null;
  const isKept =
    /^(?:zstd\w*|pzstd|lz4|brotli)$/.test(name) ||
    args.some(({ text }) => text === "--keep" || /^-\w*k/.test(text));
  const made = operands.flatMap((word) => suffixes.map((suffix) => withSuffix(word, suffix)));
  return isKept ? made : [...operands, ...made];
}

/** The name of a file with something added. */
export function withSuffix(word: ShellWord, suffix: string): ShellWord {
  const belowHome = word.belowHome === null ? null : `${word.belowHome}${suffix}`;
  return { ...literalWord(`${word.text}${suffix}`), belowHome };
}
