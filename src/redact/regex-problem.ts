/**
 * The problem of a regular expression that could take very long on some text. It checks the structure, not the meaning:
 * an unbounded repetition must hold no choice and no other repetition, and at most two may occur. That refuses some
 * harmless expressions, and accepts none that explodes.
 */
export function regexProblem(source: string, mostRepeated: number = 2): string | undefined {
  if (/\\[1-9]|\\k</.test(source))
    return "references to groups (\\1) can take very long; write the pattern without them";
  const open: RegexGroup[] = [{ repeats: false, chooses: false }];
  let unbounded = 0;
  let last: RegexGroup | undefined;
  for (let at = 0; at < source.length;) {
    const rest = source.slice(at);
    const group = open.at(-1) as RegexGroup;
    const quantifier = /^(?:[*+]|\{\d+(?:,\d*)?\}|\?)[?]?/.exec(rest)?.[0];
    if (quantifier !== undefined) {
      const many = isMany(quantifier);
      if (many && last !== undefined && (last.repeats || last.chooses)) {
        return "a repeated group that contains a choice or a repetition can take very long; write it flat: [ab]+ instead of (a|b)+ or (a+)+";
      }
      if (isUnbounded(quantifier) && (unbounded += 1) > mostRepeated)
        return "too many unbounded repetitions (* or +); bound them: {0,64}";
      if (many) group.repeats = true;
      if (quantifier.startsWith("?")) group.chooses = true;
      last = undefined;
      at += quantifier.length;
      continue;
    }
    last = undefined;
    const head = /^\((?:\?(?:[:=!]|<[=!]|<\w+>|[ims-]+:))?/.exec(rest)?.[0];
    if (head !== undefined) {
      open.push({ repeats: false, chooses: false });
      at += head.length;
    } else if (rest.startsWith(")")) {
      last = open.length > 1 ? open.pop() : group;
      const outer = open.at(-1) as RegexGroup;
      outer.repeats ||= last?.repeats ?? false;
      outer.chooses ||= last?.chooses ?? false;
      at += 1;
    } else {
      if (rest.startsWith("|")) group.chooses = true;
      at += atomLength(rest);
    }
  }
  return undefined;
}

interface RegexGroup {
  repeats: boolean;
  chooses: boolean;
}

/** The length of a class, an escape or one character. */
function atomLength(rest: string): number {
  return /^(?:\[(?:\\[\s\S]|[^\]\\])*\]|\\[\s\S])/.exec(rest)?.[0].length ?? 1;
}

/** Whether a quantifier is unbounded, or so large that it makes no difference. */
function isUnbounded(quantifier: string): boolean {
  return /^[*+]|,\}/.test(quantifier) || Number(/(\d+)\}/.exec(quantifier)?.[1] ?? 0) > 64;
}

/** Whether a quantifier repeats more than a few times. */
function isMany(quantifier: string): boolean {
  if (isUnbounded(quantifier)) return true;
  const most = /(\d+)\}/.exec(quantifier)?.[1];
  return most !== undefined && Number(most) > 4;
}
