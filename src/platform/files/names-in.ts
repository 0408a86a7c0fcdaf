import { readdirSync } from "node:fs";
import { systemCode } from "../../contract/errors.ts";

/** Names in a directory; none where it does not exist. Throws where it cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
