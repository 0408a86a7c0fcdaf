import { opaqueText } from "../shell/opaque.ts";
import type { SimpleCommand } from "../shell/shell.ts";
import { isNameable, ruleForFile } from "../rules/exact-rule.ts";
import { isSafeAssignment } from "../shell/safe-assignment.ts";
import { unwrapped } from "./forms.ts";
import { writesFile } from "./line-files.ts";
import type { BashView } from "./view.ts";
import { writtenCommand, writtenRedirection } from "./written-command.ts";

/** Rules that together may allow a command: by its text, or with a star behind the words that a rule can name. */
export function widerRules(bash: BashView): string[] {
  if (!bash.read.readable) return [];
  const { commands, redirections } = bash.read.shell;
  const files = redirections.filter(writesFile).map((one) => ruleForFile(one, bash.pathsOf));
  const all = [...commands.map(textRule), ...files];
  return [...new Set(all.filter((rule) => rule !== null))];
}

/** Why nothing narrower than `Bash` allows a command that `Bash` does. */
export function whyNoRule(bash: BashView): string {
  if (!bash.read.readable) return `the command is ${opaqueText(bash.read.opaque)}`;
  const { commands, redirections } = bash.read.shell;
  const setting = commands.find(({ assignments }) => !assignments.every(isSafeAssignment));
  const set = setting?.assignments.find((one) => !isSafeAssignment(one));
  if (set !== undefined) return `no rule covers a command that sets ${set.name}`;
  const unnamed = commands.find((one) => one.words.length > 0 && textRule(one) === null);
  if (unnamed !== undefined)
    return `no rule names the program of ${writtenCommand(unnamed)}: its name must be plain`;
  const file = redirections.find(
    (one) => one.effect === "read" || (writesFile(one) && ruleForFile(one, bash.pathsOf) === null),
  );
  if (file !== undefined)
    return `no rule covers ${writtenRedirection(file)}: write a whole path, inside the working directories if it is read`;
  return "a star does not cover a program that runs or removes what its arguments say";
}

/** Behind the longest run of words that a rule can name. */
function textRule(command: SimpleCommand): string | null {
  const { words } = unwrapped(command);
  const end = words.findIndex((word) => !isNameable(word));
  const named = words.slice(0, end === -1 ? words.length : end).map(({ text }) => text);
  if (named.length === 0) return null;
  return end === -1 ? `Bash(${named.join(" ")})` : `Bash(${named.join(" ")} *)`;
}
