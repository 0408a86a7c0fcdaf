// Facts about the commands of git, each in one place.

/** Commands that change nothing in the work tree, and bring no links. With `list` also those of two words. */
export const lookingCommands = words(
  "status log show diff shortlog blame ls-files ls-tree rev-parse rev-list describe grep branch tag remote version reflog " +
    "cat-file merge-base for-each-ref",
);

/** Commands that change files of the work tree, which only running would tell. */
export const rewritingCommands = words(
  "checkout switch restore reset clean apply stash merge pull rebase cherry-pick revert am rm mv read-tree " +
    "checkout-index submodule sparse-checkout",
);

/** Commands that show nothing of what is in files, unless they are asked for a patch. Every other one may. */
export const silentCommands = words(
  "add commit push fetch branch tag remote rev-parse init clone ls-files ls-tree describe shortlog worktree version help " +
    "switch checkout restore reset merge pull rebase cherry-pick revert clean mv rm gc fsck prune submodule count-objects " +
    "rev-list merge-base name-rev symbolic-ref update-index update-ref check-ignore for-each-ref show-ref cherry am apply " +
    "maintenance pack-refs repack sparse-checkout lfs --version",
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
