/** Whether a segment of a pattern has a `*` or `?` that is not behind a backslash. */
export function hasGlob(segment: string): boolean {
  return symbols(segment).some(({ isSpecial }) => isSpecial);
}

/** The text of a pattern, as bash passes it on where it finds no file. */
export function globLiteral(pattern: string): string {
  return pattern.replaceAll(/\\(.)/gs, "$1");
}

/**
 * Whether a pattern may find a file of this name. Hidden ones only by a dot. In some locales `?` is a byte, so that in names
 * which are not ASCII it counts as any text.
 */
export function matchesName(segment: string, name: string): boolean {
  const wanted = symbols(segment);
  const [first] = wanted;
  if (name.startsWith(".") && (first?.isSpecial === true || first?.text !== ".")) return false;
  const isAscii = /^[\0-\x7F]*$/.test(name);
  let [at, of] = [0, 0];
  let [star, resume] = [-1, 0];
  while (at < name.length) {
    const symbol = wanted[of];
    if (symbol?.isSpecial === true && (symbol.text === "*" || !isAscii)) {
      star = of;
      resume = at;
      of += 1;
    } else if (symbol !== undefined && (symbol.isSpecial || symbol.text === name[at])) {
      at += 1;
      of += 1;
    } else if (star >= 0) {
      resume += 1;
      at = resume;
      of = star + 1;
    } else return false;
  }
  return wanted.slice(of).every((symbol) => symbol.isSpecial && (symbol.text === "*" || !isAscii));
}

function symbols(segment: string): { text: string; isSpecial: boolean }[] {
  return [...segment.matchAll(/\\(.)|(.)/gs)].flatMap(([, escaped, plain]) => {
    if (escaped !== undefined) return [{ text: escaped, isSpecial: false }];
    return plain === undefined ? [] : [{ text: plain, isSpecial: plain === "*" || plain === "?" }];
  });
}
