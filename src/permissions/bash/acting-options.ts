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
  /** Every option is written whole, with one dash or two. */
  readonly areWhole?: boolean;
  /** The first word is letters, also without a dash: `tar cIf`. */
  readonly beginsWithLetters?: boolean;
  /** The program runs the folder's own code anyway, so that what `xargs` hands it counts as files. */
  readonly runsCode?: boolean;
}

/** A directory below this one. */
const below = /^(?![-/~])(?!(?:.*\/)?\.\.(?:\/|$))/;

export const actingOptions: ReadonlyMap<string, ActingOptions> = new Map<string, ActingOptions>([
  ["rg", { acts: "--pre --hostname-bin", valued: "ABCEMTdefgjmrt" }],
  ["sort", { acts: "-o --output --compress-program", valued: "ktST" }],
  ["shuf", { acts: "-o --output", valued: "in" }],
  ["tree", { acts: "-o -R", valued: "LPIHT" }],
  ["file", { acts: "-C --compile", valued: "FPefm" }],
  ["date", { acts: "-s --set", valued: "drfI" }],
  ["man", { acts: "-P -H -C --pager --html --config-file", valued: "LmMSseRrEpTX" }],
  ["split", { acts: "--filter", valued: "abCltn" }],
  ["zip", { acts: "-TT --unzip-command", areWhole: true }],
  [
    "tar",
    {
      acts: "-I -F --checkpoint-action --to-command --use-compress-program --info-script --new-volume-script --rsh-command --rmt-command",
      valued: "bCfgHKLNTVX",
      beginsWithLetters: true,
    },
  ],
  [
    "npm",
    {
      acts: "--script-shell --shell --userconfig --globalconfig --node-options --git --editor --viewer --browser",
      unless: { "--prefix": below, "-C": below },
      runsCode: true,
    },
  ],
  [
    "pnpm",
    {
      acts: "--script-shell",
      unless: { "--prefix": below, "--dir": below, "-C": below },
      runsCode: true,
    },
  ],
  ["yarn", { acts: "--script-shell --use-yarnrc", unless: { "--cwd": below }, runsCode: true }],
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
  ["cargo", { acts: "--config", unless: { "-C": below }, runsCode: true }],
]);
