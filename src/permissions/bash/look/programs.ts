import type { ShellWord } from "../../shell/shell-word.ts";
import { optionTable, type Arguments, type OptionTable } from "./arguments.ts";
import { isHarmlessSed } from "./sed-script.ts";

/** Facts about the place in which a command would look. */
export interface Sight {
  /** Every path that the word may stand for is inside the working directories. */
  isInside(word: ShellWord): boolean;
  /** The same for all files of the directories that it may stand for. */
  entriesInside(word: ShellWord): boolean;
  /** Bash may look up files for a variable without quotes, because of its value. */
  mayFind(word: ShellWord): boolean;
  /** Some part of the command line changes to another directory. */
  readonly changesDirectory: boolean;
  /** Git would take its configuration from a repository among the files, or the folder is not trusted. */
  readonly distrustsGit: boolean;
}

/** Which operands of a program are paths. */
type Operands =
  | "paths"
  /** The first is a pattern or program, unless an option gives it; the others are paths. */
  | "pattern"
  /** One path at most: a second one would be written. */
  | "one-path"
  | "texts"
  | "none";

export interface LookProgram {
  readonly options: OptionTable;
  readonly operands: Operands;
  /** Options that give the pattern. */
  readonly givesPattern: ReadonlySet<string>;
  /** A further condition on what the program was given. */
  readonly check: (given: Arguments, sight: Sight) => boolean;
}

function program(
  operands: Operands,
  manual: string,
  more: {
    givesPattern?: readonly string[];
    check?: LookProgram["check"];
    bundles?: boolean;
  } = {},
): LookProgram {
  return {
    options: optionTable(manual, { bundles: more.bundles ?? true }),
    operands,
    givesPattern: new Set(more.givesPattern),
    check: more.check ?? (() => true),
  };
}

const search =
  "-<n> -EFGPivwxyclLonqsbHhTUZzaIr -e~ -f@ -m: -A: -B: -C: -d: -D: --extended-regexp --fixed-strings --basic-regexp --perl-regexp " +
  "--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-with-matches " +
  "--files-without-match --line-number --only-matching --quiet --silent --no-messages --byte-offset --with-filename " +
  "--no-filename --initial-tab --null --null-data --text --recursive --line-buffered --directories= --devices= --color[=] --colour[=] --include= " +
  "--exclude= --exclude-dir= --exclude-from=@ --regexp=~ --file=@ --max-count= --after-context= --before-context= --context= " +
  "--binary-files= --label= --version";

/** Programs that only look, each with the options for which that holds. */
const programs: ReadonlyMap<string, LookProgram> = new Map<string, LookProgram>([
  [
    "cat",
    program(
      "paths",
      "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting",
    ),
  ],
  ["tac", program("paths", "-br -s~ --before --regex --separator=")],
  [
    "head",
    program(
      "paths",
      "-<n> -qvz -n: -c: --lines= --bytes= --quiet --silent --verbose --zero-terminated",
    ),
  ],
  [
    "tail",
    program(
      "paths",
      "-<n> -qvzfF -n: -c: -s: --lines= --bytes= --quiet --silent --verbose --follow --retry --zero-terminated --pid=",
    ),
  ],
  ["wc", program("paths", "-cmlLw --bytes --chars --lines --max-line-length --words --total=")],
  [
    "nl",
    program(
      "paths",
      "-p -b: -d: -f: -h: -i: -l: -n: -s~ -v: -w: --body-numbering= --number-format= --number-width= --number-separator= --starting-line-number=",
    ),
  ],
  [
    "ls",
    program(
      "paths",
      "-aAbBcCdDfFgGhHiklmnNopqQrRsStuUvxXZ1 -I~ -w: -T: --all --almost-all --author --escape --ignore-backups --color[=] " +
        "--directory --classify[=] --file-type --format= --full-time --group-directories-first --no-group --human-readable " +
        "--si --hide= --indicator-style= --inode --ignore= --kibibytes --numeric-uid-gid --literal --hide-control-chars " +
        "--quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --zero --version",
    ),
  ],
  ["stat", program("paths", "-ft -c~ --format=~ --printf=~ --terse --file-system")],
  [
    "du",
    program(
      "paths",
      "-0abchkmsSx -d: -t: -B: --null --all --apparent-size --bytes --total --human-readable --si --summarize --separate-dirs --max-depth= --exclude= --threshold= --one-file-system --time[=] --block-size=",
    ),
  ],
  [
    "df",
    program(
      "paths",
      "-ahHiklmPT -t: -x: -B: --all --human-readable --si --inodes --local --portability --print-type --total --output[=] --type= --exclude-type=",
    ),
  ],
  [
    "tree",
    program(
      "paths",
      "-adfiqNQpugshDFvtcUrACnSx -L: -P~ -I~ --dirsfirst --filesfirst --noreport --prune --gitignore --matchdirs --ignore-case --du --si --inodes --device --sort= --charset= --timefmt= --filelimit=",
      // The program reads on in a word behind an option that takes the next one.
      { bundles: false },
    ),
  ],
  [
    "file",
    program(
      "paths",
      "-bihkrsSN -F: -P: --brief --mime --mime-type --mime-encoding --no-dereference --separator= --keep-going --no-pad",
    ),
  ],
  [
    "cmp",
    program(
      "paths",
      "-bls -i: -n: --print-bytes --verbose --quiet --silent --bytes= --ignore-initial=",
    ),
  ],
  [
    "diff",
    program(
      "paths",
      "-<n> -uceinwbBEZaqstydTNp -U: -C: -W: -I: -F: --normal --brief --report-identical-files --context[=] --unified[=] --ed --rcs --side-by-side --width= --left-column --suppress-common-lines --show-c-function --expand-tabs --initial-tab --new-file --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-matching-lines= --text --strip-trailing-cr --minimal --color[=] --label=",
      { check: comparesFiles },
    ),
  ],
  [
    "comm",
    program(
      "paths",
      "-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated",
    ),
  ],
  [
    "cut",
    program(
      "paths",
      "-nsz -b: -c: -d~ -f: --bytes= --characters= --delimiter= --fields= --only-delimited --output-delimiter= --complement --zero-terminated",
    ),
  ],
  ["paste", program("paths", "-sz -d~ --delimiters= --serial --zero-terminated")],
  [
    "sort",
    program(
      "paths",
      "-bdfghiMnRrVcCmsuz -k: -t~ -S: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --version-sort --check[=] --merge --stable --unique --key= --field-separator= --sort= --buffer-size= --parallel= --zero-terminated",
      { check: withoutGlobs },
    ),
  ],
  [
    "uniq",
    program(
      "one-path",
      "-cdDuiz -f: -s: -w: --count --repeated --all-repeated[=] --unique --ignore-case --skip-fields= --skip-chars= --check-chars= --group[=] --zero-terminated",
      { check: withoutGlobs },
    ),
  ],
  ["tr", program("texts", "-cCdst --complement --delete --squeeze-repeats --truncate-set1")],
  ["rev", program("paths", "-0 --zero")],
  ["fold", program("paths", "-bs -w: --bytes --spaces --width=")],
  [
    "column",
    program(
      "paths",
      "-tx -s~ -o~ -c: -N: -H: --table --separator= --output-separator= --output-width= --fillrows",
    ),
  ],
  [
    "od",
    program(
      "paths",
      "-abcdfiloxsv -A: -j: -N: -t: -w[=] --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates --width[=]",
    ),
  ],
  ["hexdump", program("paths", "-bcCdovx -n: -s: --canonical --length= --skip= --no-squeezing")],
  ...[
    "md5sum",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "b2sum",
    "cksum",
  ].map((name): [string, LookProgram] => [
    name,
    program("paths", "-btz --binary --text --tag --zero"),
  ]),
  ["basename", program("texts", "-az -s: --multiple --suffix= --zero")],
  ["dirname", program("texts", "-z --zero")],
  [
    "realpath",
    program(
      "paths",
      "-emsqzLP --canonicalize-existing --canonicalize-missing --no-symlinks --strip --quiet --zero --relative-to=@ --relative-base=@",
    ),
  ],
  [
    "readlink",
    program(
      "paths",
      "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero",
    ),
  ],
  ["grep", program("pattern", search, { givesPattern: ["-e", "-f", "--regexp", "--file"] })],
  ["egrep", program("pattern", search, { givesPattern: ["-e", "-f", "--regexp", "--file"] })],
  ["fgrep", program("pattern", search, { givesPattern: ["-e", "-f", "--regexp", "--file"] })],
  [
    "rg",
    program(
      "pattern",
      "-nNiSsvwxlcoqFUuHIpabP0h. -e~ -f@ -g~ -t: -T: -A: -B: -C: -m: -M: -d: -j: -r~ -E: --line-number --no-line-number " +
        "--ignore-case --smart-case --case-sensitive --invert-match --word-regexp --line-regexp --files-with-matches " +
        "--files-without-match --count --count-matches --only-matching --quiet --fixed-strings --multiline --multiline-dotall " +
        "--unrestricted --with-filename --no-filename --pretty --text --pcre2 --null --hidden --no-hidden --no-ignore " +
        "--no-ignore-vcs --no-ignore-parent --no-ignore-global --no-ignore-dot --no-ignore-exclude --no-ignore-files " +
        "--no-follow --files --json --stats --heading --no-heading --column --no-column --byte-offset --trim --vimgrep --crlf " +
        "--max-columns-preview --no-messages --no-ignore-messages --one-file-system --passthru --passthrough --line-buffered " +
        "--block-buffered --type-list --null-data --regexp=~ --file=@ --glob=~ --iglob=~ --type= --type-not= --type-add= " +
        "--type-clear= --after-context= --before-context= --context= --max-count= --max-columns= --max-depth= --maxdepth= " +
        "--max-filesize= --threads= --replace=~ --encoding= --color= --colors= --sort= --sortr= --engine= --ignore-file=@ " +
        "--context-separator= --field-match-separator= --field-context-separator= --path-separator= --regex-size-limit= " +
        "--dfa-size-limit= --glob-case-insensitive --ignore-file-case-insensitive --include-zero --version",
      { givesPattern: ["-e", "-f", "--regexp", "--file", "--files"] },
    ),
  ],
  [
    "jq",
    program(
      "pattern",
      "-rcnseMCSajR --raw-output --compact-output --null-input --slurp --exit-status --monochrome-output --color-output " +
        "--sort-keys --ascii-output --join-output --raw-input --tab --seq --stream --indent= --version",
      {
        check: ({ operands: [filter] }) =>
          filter?.isStatic === true &&
          !/\b(?:import|include|modulemeta|env|ENV)\b/.test(filter.text),
      },
    ),
  ],
  [
    "sed",
    program(
      "pattern",
      "-nErsuz -e~ --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression=~",
      { givesPattern: ["-e", "--expression"], check: editsNothing },
    ),
  ],
  [
    "date",
    program(
      "texts",
      "-uR -d~ -I[=] --utc --universal --rfc-email --date= --iso-8601[=] --rfc-3339=",
      {
        check: ({ operands }) =>
          operands.every(({ isStatic, text }) => isStatic && text.startsWith("+")),
      },
    ),
  ],
  ["seq", program("texts", "-<n> -w -f~ -s~ --equal-width --format= --separator=")],
  ["pwd", program("none", "-LP")],
  [
    "uname",
    program(
      "none",
      "-asnrvmpio --all --kernel-name --nodename --kernel-release --machine --operating-system",
    ),
  ],
  ["hostname", program("none", "-s")],
  ...["whoami", "arch", "nproc", "tty", "logname"].map((name): [string, LookProgram] => [
    name,
    program("none", ""),
  ]),
  ["uptime", program("none", "-ps --pretty --since")],
  ["id", program("texts", "-gGnruz --group --groups --name --real --user --zero")],
  ["which", program("texts", "-as --all")],
  ["type", program("texts", "-afptP")],
  ["true", program("texts", "")],
  ["false", program("texts", "")],
]);

export function lookProgram(name: string): LookProgram | undefined {
  return programs.get(name);
}

export function isInTable(name: string): boolean {
  return programs.has(name);
}

function withoutGlobs({ operands }: Arguments): boolean {
  return operands.every(({ isStatic }) => isStatic);
}

/** `diff` of two directories opens their files, wherever links in them lead. */
function comparesFiles({ operands }: Arguments, sight: Sight): boolean {
  if (!operands.every(({ isStatic }) => isStatic)) return false;
  return operands.every((word) => sight.entriesInside(word));
}

function editsNothing({ options, operands }: Arguments): boolean {
  const scripts = options.flatMap(({ name, value }) =>
    name === "-e" || name === "--expression" ? [value] : [],
  );
  const [first] = operands;
  const given = scripts.length > 0 ? scripts : [first ?? null];
  return (
    operands.every(({ isStatic }) => isStatic) &&
    given.every((script) => script?.isStatic === true && isHarmlessSed(script.text))
  );
}
