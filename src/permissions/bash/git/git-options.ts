/**
 * Options of git's commands, as closed lists. With `quiet` ones a command shows nothing of what is in files; `loud` ones may have it
 * do so. None of them names a program. An option that is missing here may do anything: `rebase --exec`, `clone -u`, `add -i`.
 */
interface Options {
  /** Missing: it may show something with any option, and with none. */
  readonly quiet?: string;
  readonly loud?: string;
  /** The first operand, if only some are known; further ones with which it may show something. */
  readonly verbs?: string;
  readonly loudVerbs?: string;
}

/** With these, `log`, `diff` and the like show names and numbers alone. */
const summary =
  "-s --no-patch --quiet --stat[=] --numstat --shortstat --dirstat[=] --name-only --name-status --summary --compact-summary";

const walk =
  `${summary} -<n> -bz -n: --oneline --graph --all --reverse --merges --no-merges --first-parent --follow --short --branch --long ` +
  "--show-stash --abbrev-commit --no-abbrev-commit --no-color --cached --staged --no-renames --exit-code --topo-order " +
  "--date-order --no-decorate --no-ext-diff --list --porcelain[=] --untracked-files[=] --decorate[=] --branches[=] --tags[=] " +
  "--remotes[=] --pretty[=] --format= --max-count= --skip= --since= --until= --after= --before= --author= --committer= --grep= " +
  "--date= --color[=] --diff-filter= --abbrev[=] --ignored[=] --ignore-submodules[=]";

const patches =
  "-puRawc -U[=] -M[=] -C[=] -B[=] -D -l: -S: -G: -W -q -m -O: -o: --cc --patch --raw --patch-with-stat --patch-with-raw --unified[=] " +
  "--minimal --patience --histogram --diff-algorithm= --anchored= --word-diff[=] --word-diff-regex= --color-words[=] " +
  "--color-moved[=] --color-moved-ws= --find-renames[=] --find-copies[=] --find-copies-harder --pickaxe-all --pickaxe-regex " +
  "--relative[=] --text --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines " +
  "--ignore-cr-at-eol --inter-hunk-context= --function-context --check --full-index --binary --src-prefix= --dst-prefix= " +
  "--no-prefix --default-prefix --no-textconv --textconv --ext-diff --submodule[=] --stat-width= --stat-count= " +
  "--stat-name-width= --stat-graph-width= --output= --no-index --merge-base --ws-error-highlight= --no-indent-heuristic";

const history =
  "-iEFPgt -L: --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp " +
  "--author-date-order --relative-date --full-history --simplify-by-decoration --simplify-merges --ancestry-path[=] " +
  "--left-right --left-only --right-only --cherry --cherry-mark --cherry-pick --boundary --parents --children --source " +
  "--no-walk[=] --walk-reflogs --reflog --not --notes[=] --no-notes --no-mailmap --use-mailmap --mailmap --clear-decorations " +
  "--decorate-refs= --decorate-refs-exclude= --exclude= --glob= --remove-empty --sparse --dense --objects --show-signature " +
  "--diff-merges= --min-parents= --max-parents= --no-min-parents --no-max-parents --log-size --no-expand-tabs --expand-tabs[=] --encoding=";

const pathspecs = "--pathspec-from-file= --pathspec-file-nul";
const fetching =
  "-aqpPtfkuv46 -j: --all --append --depth= --deepen= --unshallow --shallow-since= --shallow-exclude= --prune --prune-tags " +
  "--tags --no-tags --force --quiet --verbose --progress --no-progress --dry-run --multiple --keep --jobs= " +
  "--recurse-submodules[=] --no-recurse-submodules --set-upstream --update-head-ok --update-shallow --filter= --refmap= " +
  "--atomic --porcelain --write-fetch-head --no-write-fetch-head --ipv4 --ipv6 --no-auto-maintenance --no-auto-gc";
const merging =
  "-e -X~ --strategy-option= --edit --no-edit --signoff --no-signoff --continue --abort --quit --gpg-sign[=] --no-gpg-sign -S[=] " +
  "--rerere-autoupdate --no-rerere-autoupdate --cleanup=";
const listing =
  "-l --list --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= --sort= --format= --color[=] --no-color " +
  "--column[=] --no-column -i --ignore-case";

export const gitOptions: Readonly<Record<string, Options>> = {
  "": { quiet: "" },
  status: {
    quiet: `${walk} -u[=] --column[=] --no-column --ahead-behind --no-ahead-behind --renames --find-renames[=]`,
    loud: "-v --verbose",
  },
  log: { quiet: walk, loud: `${patches} ${history}` },
  reflog: { quiet: walk, loud: `${patches} ${history}` },
  show: { quiet: walk, loud: `${patches} ${history}` },
  whatchanged: { loud: `${walk} ${patches} ${history}` },
  diff: { quiet: walk, loud: patches },
  "diff-tree": { loud: `${walk} ${patches} -rt --root --stdin --no-commit-id` },
  "diff-index": { loud: `${walk} ${patches} -r` },
  "diff-files": { loud: `${walk} ${patches}` },
  "range-diff": {
    loud: `${walk} ${patches} --creation-factor= --no-dual-color --left-only --right-only`,
  },
  "format-patch": {
    loud: `${walk} ${patches} -Nks -v: --stdout --output-directory= --numbered --no-numbered --cover-letter --signoff --subject-prefix= --base= --root --start-number= --zero-commit --no-signature`,
  },
  grep: {
    loud: "-<n> -vwxiIaFEGPnhHlLcqrz -e~ -f: -A: -B: -C: -m: --cached --untracked --no-index --no-exclude-standard --exclude-standard --text --ignore-case --word-regexp --invert-match --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --name-only --files-with-matches --files-without-match --count --color[=] --no-color --break --heading --show-function --function-context -W -p --context= --after-context= --before-context= --and --or --not --all-match --quiet --max-depth= --recursive --no-recursive --full-name --null -o --only-matching --max-count= --recurse-submodules --threads=",
  },
  blame: {
    quiet:
      "-<n> -bclstfnpewkCM -L: -S: --root --show-stats --porcelain --line-porcelain --incremental --show-name --show-number --show-email --date= --since= --abbrev= --reverse --first-parent --contents= --ignore-rev= --ignore-revs-file= --progress --no-progress",
  },
  shortlog: {
    quiet:
      "-snec -w[=] --summary --numbered --email --committer --all --merges --no-merges --since= --until= --group=",
  },
  "cat-file": {
    quiet: "-tse",
    loud: "-p --batch[=] --batch-check[=] --batch-all-objects --textconv --path= --buffer --unordered --allow-unknown-type --follow-symlinks",
  },
  "ls-files": {
    quiet:
      "-cdmosuktvizf -x: -X: --cached --deleted --modified --others --stage --unmerged --killed --ignored --directory --no-empty-directory --exclude= --exclude-from= --exclude-standard --full-name --error-unmatch --abbrev[=] --eol --deduplicate --recurse-submodules --resolve-undo --with-tree=",
  },
  "ls-tree": {
    quiet:
      "-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev[=]",
  },
  "ls-remote": {
    loud: "-htq --heads --tags --refs --quiet --exit-code --get-url --sort= --symref --branches",
  },
  "rev-parse": {
    quiet:
      "-q --show-toplevel --show-prefix --show-cdup --show-superproject-working-tree --git-dir --absolute-git-dir --git-common-dir --git-path= --path-format= --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --abbrev-ref[=] --short[=] --verify --quiet --symbolic --symbolic-full-name --all --branches[=] --tags[=] --remotes[=] --revs-only --no-revs --flags --no-flags --default= --sq --not --show-object-format[=] --local-env-vars",
  },
  "rev-list": {
    quiet: `-<n> -n: --count --all --branches[=] --tags[=] --remotes[=] --max-count= --skip= --since= --until= --after= --before= --author= --committer= --grep= --reverse --merges --no-merges --first-parent --left-right --cherry-pick --right-only --left-only --topo-order --date-order --not --parents --objects --no-walk[=] --abbrev-commit --oneline --pretty[=] --format= --timestamp --ancestry-path --boundary`,
  },
  describe: {
    quiet:
      "--all --tags --always --long --exact-match --first-parent --dirty[=] --broken[=] --abbrev= --match= --exclude= --contains --candidates= --debug",
  },
  "name-rev": { quiet: "--all --always --name-only --tags --no-undefined --refs= --exclude=" },
  "merge-base": { quiet: "-a --all --octopus --independent --is-ancestor --fork-point" },
  "show-ref": {
    quiet:
      "-dqs --head --heads --tags --branches --dereference --hash[=] --verify --abbrev[=] --quiet --exists",
  },
  "for-each-ref": {
    quiet:
      "--count= --sort= --format= --color[=] --points-at= --merged[=] --no-merged[=] --contains[=] --no-contains[=] --ignore-case",
  },
  "symbolic-ref": { quiet: "-qd -m: --short --quiet --delete --no-recurse --recurse" },
  "check-ignore": { loud: "-v --verbose", quiet: "-qzn --quiet --stdin --non-matching --no-index" },
  "check-attr": { loud: "-az --all --cached --stdin" },
  cherry: { quiet: "-v --verbose --abbrev[=]" },
  version: { quiet: "--build-options" },
  help: { quiet: "-ag --all --guides --config" },
  branch: {
    quiet: `${listing} -avrdDmMcCfq -u: -t[=] --all --verbose --remotes --delete --move --copy --force --quiet --show-current --set-upstream-to= --unset-upstream --track[=] --no-track --abbrev[=] --no-abbrev --create-reflog`,
  },
  tag: {
    quiet: `${listing} -asfd -m: -F: -u: -n[=] --annotate --sign --no-sign --force --delete --message= --file= --local-user= --create-reflog --cleanup= --edit -e`,
    loud: "-v --verify",
  },
  remote: {
    quiet:
      "-vnfad -t: -m: --verbose --dry-run --all --prune --push --add --delete --tags --no-tags --mirror[=] --auto",
  },
  add: {
    quiet: `-nfAuN --dry-run --force --all --no-all --update --ignore-removal --intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --sparse --chmod= ${pathspecs}`,
    loud: "-piev --patch --interactive --edit --verbose",
  },
  commit: {
    quiet: `-aqnseoiz -m: -F: -C: -c: -t: -S[=] -u[=] --all --quiet --no-verify --verify --signoff --no-signoff --message= --file= --reuse-message= --reedit-message= --template= --author= --date= --amend --no-edit --edit --allow-empty --allow-empty-message --fixup= --squash= --reset-author --only --include --dry-run --short --branch --porcelain --long --null --gpg-sign[=] --no-gpg-sign --cleanup= --no-post-rewrite --trailer= --status --no-status --untracked-files[=] ${pathspecs}`,
    loud: "-pv --patch --interactive --verbose",
  },
  push: {
    quiet:
      "-uqfdnv46 -o: --all --branches --mirror --tags --follow-tags --no-follow-tags --delete --dry-run --force --force-with-lease[=] --no-force-with-lease --force-if-includes --set-upstream --quiet --verbose --porcelain --progress --no-progress --prune --no-verify --verify --atomic --no-atomic --thin --no-thin --signed[=] --no-signed --recurse-submodules= --no-recurse-submodules --push-option= --ipv4 --ipv6",
  },
  fetch: { quiet: `${fetching} -n` },
  pull: {
    quiet: `${fetching} ${merging} -n -r[=] --rebase[=] --no-rebase --ff --no-ff --ff-only --squash --no-squash --commit --no-commit --autostash --no-autostash --stat --no-stat --allow-unrelated-histories --no-verify --verify --log[=] --no-log`,
  },
  clone: {
    quiet:
      "-qvlsn46 -b: -o: -j: --quiet --verbose --progress --no-progress --depth= --branch= --single-branch --no-single-branch --tags --no-tags --recursive --recurse-submodules[=] --shallow-submodules --no-shallow-submodules --remote-submodules --bare --mirror --no-checkout --filter= --also-filter-submodules --jobs= --origin= --local --no-local --shared --no-hardlinks --sparse --shallow-since= --shallow-exclude= --ipv4 --ipv6 --revision=",
    loud: "--reference= --reference-if-able= --dissociate --separate-git-dir=",
  },
  init: {
    quiet: "-q -b: --quiet --initial-branch= --bare --object-format= --ref-format= --shared[=]",
    loud: "--separate-git-dir=",
  },
  checkout: {
    quiet: `-qftdlm23 -b: -B: --orphan= --track[=] --no-track --detach --force --quiet --ours --theirs --merge --conflict= --guess --no-guess --progress --no-progress --ignore-skip-worktree-bits --ignore-other-worktrees --recurse-submodules --no-recurse-submodules --overlay --no-overlay ${pathspecs}`,
    loud: "-p --patch",
  },
  switch: {
    quiet:
      "-qftdm -c: -C: --create= --force-create= --orphan= --track[=] --no-track --detach --force --discard-changes --quiet --merge --conflict= --guess --no-guess --progress --no-progress --ignore-other-worktrees --recurse-submodules --no-recurse-submodules",
  },
  restore: {
    quiet: `-qSWm -s: --source= --staged --worktree --quiet --ours --theirs --merge --conflict= --ignore-unmerged --progress --no-progress --overlay --no-overlay --ignore-skip-worktree-bits --recurse-submodules --no-recurse-submodules ${pathspecs}`,
    loud: "-p --patch",
  },
  reset: {
    quiet: `-qN --soft --mixed --hard --merge --keep --quiet --refresh --no-refresh --intent-to-add --recurse-submodules --no-recurse-submodules ${pathspecs}`,
    loud: "-p --patch",
  },
  merge: {
    quiet: `${merging} -nq -m: -F: --quiet --message= --file= --ff --no-ff --ff-only --squash --no-squash --commit --no-commit --stat --no-stat --log[=] --no-log --allow-unrelated-histories --autostash --no-autostash --no-verify --verify --progress --no-progress --into-name= --overwrite-ignore`,
    loud: "-v --verbose",
  },
  rebase: {
    quiet: `${merging} -iqfnkm -r[=] --interactive --onto= --skip --root --autostash --no-autostash --autosquash --no-autosquash --keep-base --keep-empty --no-keep-empty --empty= --force-rebase --no-ff --fork-point --no-fork-point --rebase-merges[=] --no-rebase-merges --update-refs --no-update-refs --stat --no-stat --no-verify --verify --quiet --reset-author-date --committer-date-is-author-date --merge --apply --ignore-whitespace --whitespace= --edit-todo --reapply-cherry-picks --no-reapply-cherry-picks`,
    loud: "-v --verbose --show-current-patch",
  },
  "cherry-pick": {
    quiet: `${merging} -nxrs -m: --no-commit --mainline= --ff --skip --allow-empty --allow-empty-message --keep-redundant-commits --empty=`,
  },
  revert: { quiet: `${merging} -ns -m: --no-commit --mainline= --skip --reference` },
  // A patch may copy a file: `copy from .env`.
  am: {
    loud: `${merging} -3ksqi --3way --no-3way --keep --no-keep --quiet --skip --resolved -r --ignore-whitespace --whitespace= --exclude= --include= --reject --committer-date-is-author-date --message-id --no-message-id --allow-empty --keep-cr --no-keep-cr --directory= --show-current-patch[=] --interactive`,
  },
  apply: {
    loud: "-3RqN -p: -C: --3way --check --index --cached --intent-to-add --reverse --reject --unidiff-zero --stat --numstat --summary --recount --whitespace= --ignore-whitespace --ignore-space-change --directory= --exclude= --include= --unsafe-paths --allow-empty --quiet --inaccurate-eof --no-add --apply -v --verbose",
  },
  clean: { quiet: "-dfnqxX -e: --force --dry-run --quiet --exclude=" },
  mv: { quiet: "-fkn --force --dry-run --sparse", loud: "-v --verbose" },
  rm: {
    quiet: `-rfnq --cached --force --dry-run --quiet --ignore-unmatch --sparse ${pathspecs}`,
  },
  stash: {
    quiet: `-kuaqS -m: --keep-index --no-keep-index --include-untracked --all --quiet --staged --message= --index ${pathspecs}`,
    loud: "-p --patch --stat[=] --numstat --shortstat --name-only --name-status --summary --only-untracked --oneline",
    verbs: "push save pop apply drop list clear branch create store",
    loudVerbs: "show",
  },
  worktree: {
    quiet:
      "-fdqz -b: -B: --force --detach --checkout --no-checkout --lock --reason= --porcelain --quiet --orphan --dry-run -n --expire= --track --no-track --guess-remote --no-guess-remote",
    loud: "-v --verbose",
    verbs: "list remove prune lock unlock move repair",
    loudVerbs: "add",
  },
  submodule: {
    quiet:
      "-qfN -b: -j: --quiet --init --recursive --remote --force --depth= --checkout --merge --rebase --no-fetch --jobs= --recommend-shallow --no-recommend-shallow --progress --cached --branch= --name= --all --single-branch --no-single-branch --filter= --default",
    verbs: "status init deinit sync absorbgitdirs set-url set-branch",
    loudVerbs: "add update summary",
  },
  "sparse-checkout": {
    quiet: "--cone --no-cone --sparse-index --no-sparse-index --skip-checks --stdin",
    verbs: "list set add reapply disable init",
  },
  bisect: {
    loud: "--no-checkout --first-parent --term-old= --term-new= --term-good --term-bad",
    verbs: "start good bad new old skip reset log terms next",
  },
  "update-index": {
    quiet:
      "-qgz --add --remove --force-remove --refresh --really-refresh --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --chmod= --ignore-missing --ignore-submodules --again --unresolve",
    // They give a file another name, or another file this name.
    loud: "--cacheinfo= --stdin --replace --index-info",
  },
  "update-ref": { quiet: "-dz -m: --no-deref --create-reflog --stdin" },
  "read-tree": {
    loud: "-muniv --reset --empty --prefix= --aggressive --trivial --dry-run --no-sparse-checkout",
  },
  "hash-object": { loud: "-w -t: --stdin --stdin-paths --no-filters --path= --literally" },
  gc: { quiet: "-q --auto --prune[=] --no-prune --quiet --aggressive --force --keep-largest-pack" },
  fsck: {
    quiet:
      "--full --no-full --strict --unreachable --dangling --no-dangling --connectivity-only --progress --no-progress --no-reflogs --root --tags --cache --name-objects",
  },
  prune: { quiet: "-n --dry-run --expire= --progress" },
  "count-objects": { quiet: "-vH --verbose --human-readable" },
  "pack-refs": { quiet: "--all --prune --no-prune" },
  repack: {
    quiet:
      "-aAdfFlqknb --quiet --write-bitmap-index --window= --depth= --window-memory= --max-pack-size= --keep-unreachable",
  },
  maintenance: { quiet: "--auto --quiet --no-quiet --task= --schedule[=]", verbs: "run" },
  archive: {
    loud: "-<n> -lv -o: --list --verbose --format= --prefix= --output= --add-file= --worktree-attributes",
  },
  "checkout-index": {
    loud: "-uqfanz --index --quiet --force --all --no-create --prefix= --stage= --temp --stdin",
  },
  notes: {
    loud: "-f -m: -F: -C: --ref= --message= --file= --force --ignore-missing",
    verbs: "list add append copy show remove prune merge get-ref",
  },
  "merge-tree": {
    loud: "-z --write-tree --trivial-merge --messages --no-messages --name-only --allow-unrelated-histories --merge-base=",
  },
  "merge-file": {
    loud: "-pq -L: --stdout --quiet --ours --theirs --union --diff3 --zdiff3 --marker-size=",
  },
  bundle: {
    loud: "-q --quiet --progress --all --all-progress --version=",
    verbs: "create verify list-heads unbundle",
  },
  config: {
    loud: "-lz --get --get-all --get-regexp --list --name-only --show-origin --show-scope --global --local --system --worktree --null --type= --bool --int --path --includes --no-includes --default= -f: -e --file= --blob= --unset --unset-all --add --replace-all --remove-section --rename-section --get-urlmatch --get-color --get-colorbool --fixed-value --comment=",
  },
  lfs: {
    quiet:
      "-laIXnsj --all --long --size --name-only --include= --exclude= --json --local --force --porcelain",
    verbs: "ls-files status track untrack version env pull fetch checkout prune fsck install",
  },
};

export function isGitCommand(name: string): boolean {
  return Object.hasOwn(gitOptions, name);
}
