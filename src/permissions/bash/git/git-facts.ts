// Facts about the commands of git, each in one place.

/** Commands that change nothing in the work tree, and bring no links. With `list` also those of two words. */
export const lookingCommands = words(
  "status log show diff shortlog blame ls-files ls-tree rev-parse rev-list describe grep branch tag remote version reflog " +
    "cat-file merge-base for-each-ref",
);

/** Commands that change files of the work tree, which only running would tell. */
export const rewritingCommands = words(
  "checkout switch restore reset clean apply stash merge pull rebase cherry-pick revert am rm mv read-tree " +
    "checkout-index submodule sparse-checkout bisect lfs",
);

/** Commands that write to the repository alone. Every other one may write what its operands name. */
export const storingCommands = words(
  "add commit push fetch update-index update-ref symbolic-ref gc fsck prune count-objects maintenance pack-refs repack " +
    "name-rev show-ref cherry check-ignore check-attr ls-remote help hash-object notes diff-tree diff-index diff-files range-diff whatchanged",
);

/** Commands that speak to another repository, which an operand may name. */
export const transferringCommands = words("clone fetch pull push remote submodule ls-remote");

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
