import { createHash } from "node:crypto";

/** The same text for the same value, whatever the order of its keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? // As a list of pairs, because an object would put keys like "1" first and lose "__proto__".
        ["{}", ...Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))]
      : inner,
  );
}

/** Identifies a request as it was shown: the file and the session must agree on it. */
export function requestDigest(request: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(request));
  return createHash("sha256").update(canonical(plain)).digest("base64url");
}

/** Identifies an input in a log that must not hold it. Never throws. */
export function inputHash(tool: string, input: unknown): string {
  return createHash("sha256").update(textOf(tool, input)).digest("hex").slice(0, 12);
}

/** The canonical text of a call. Inputs nested too deep for the stack share one text. */
function textOf(tool: string, input: unknown): string {
  try {
    return canonical([tool, input]);
  } catch {
    return tool;
  }
}
