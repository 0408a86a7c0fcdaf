/**
 * Options with which a program that otherwise looks, tests or packs runs a program, or writes a file, that its arguments name.
 * Git is not here: the options of its commands that name none are closed lists (`git/git-options.ts`).
 */
export interface ActingOptions {
  /** Letters, and long options; an abbreviation of a long one counts as it. */
  readonly acts: string;
  /** Other letters that take a value, so that what follows them in a word is no letter: `-to` of sort. */
  readonly valued?: string;
  /** Options that act unless their value is harmless. */
  readonly unless?: Readonly<Record<string, RegExp>>;
  /** Words that act, whatever they are. An open text in them may be a colon. */
  readonly words?: RegExp;
  /** Long options may be written with one dash. */
  readonly takesOneDash?: boolean;
  /** Options besides `unless` that may name a place outside; all others may not. Missing: each may. */
  readonly mayLeave?: RegExp;
  /** Every option is written whole, with one dash or two. */
  readonly areWhole?: boolean;
  /** The first word is letters, also without a dash: `tar cIf`. */
  readonly beginsWithLetters?: boolean;
  /** The program runs the folder's own code anyway, so that what `xargs` hands it counts as files. */
  readonly runsCode?: boolean;
}

/** A directory below this one. */
export const below = /^(?![-/~])(?!(?:.*\/)?\.\.(?:\/|$))/;

export const actingOptions: ReadonlyMap<string, ActingOptions> = new Map<string, ActingOptions>([
  ["rg", { acts: "--pre --hostname-bin", valued: "ABCEMTdefgjmrt" }],
  ["sort", { acts: "-o --output --compress-program", valued: "ktST" }],
  ["shuf", { acts: "-o --output", valued: "in" }],
  ["tree", { acts: "-o -R --output", valued: "LPIHT" }],
  ["file", { acts: "-C --compile", valued: "FPefm" }],
  // `date -f` prints each line of a file that it cannot parse as a date.
  ["date", { acts: "-s --set", valued: "drfI", unless: { "-f": below, "--file": below } }],
  ["man", { acts: "-P -H -C --pager --html --config-file", valued: "LmMSseRrEpTX" }],
  ["split", { acts: "--filter", valued: "abCltn" }],
  // Letters may stand in front of it, and its value behind it.
  ["zip", { acts: "--unzip-command", words: /^-(?!-).*TT/s }],
  [
    "tar",
    {
      acts: "-I -F --checkpoint-action --to-command --use-compress-program --info-script --new-volume-script --rsh-command --rmt-command --index-file",
      // An archive on another host, to which tar starts a shell.
      words: /^[^/]*:/s,
      valued: "bCfgHKLNTVX",
      beginsWithLetters: true,
    },
  ],
  [
    "npm",
    {
      acts: "--script-shell --shell --userconfig --globalconfig --node-options --git --editor --viewer --browser --node-gyp --python --onload-script --init-module",
      unless: { "--prefix": below, "-C": below },
      takesOneDash: true,
      mayLeave: /^$/,
      runsCode: true,
    },
  ],
  [
    "pnpm",
    {
      acts: "--script-shell --shell --userconfig --globalconfig --node-options",
      unless: { "--prefix": below, "--dir": below, "-C": below },
      words: /^--?config\./,
      takesOneDash: true,
      mayLeave: /^$/,
      runsCode: true,
    },
  ],
  [
    "yarn",
    {
      acts: "--script-shell --use-yarnrc",
      unless: { "--cwd": below },
      takesOneDash: true,
      mayLeave: /^$/,
      runsCode: true,
    },
  ],
  [
    "bun",
    {
      acts: "-e -p -r -c --eval --print --preload --require --import --config --shell --env-file",
      unless: { "--cwd": below },
      mayLeave: /^$/,
      runsCode: true,
    },
  ],
  [
    "go",
    {
      acts: "-exec -toolexec -vettool -overlay -modfile",
      // `-extld` and `-extldflags` name what links.
      unless: { "-ldflags": /^(?!.*ext)/s, "-gccgoflags": /^$/, "-C": below },
      areWhole: true,
      runsCode: true,
    },
  ],
  [
    "cargo",
    {
      acts: "--config",
      unless: { "-C": below, "--manifest-path": below },
      mayLeave: /^--target-dir$/,
      runsCode: true,
    },
  ],
]);
