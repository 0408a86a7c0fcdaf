import { readdirSync } from "node:fs";
import { systemCode } from "../../contract/errors.ts";

/** What a directory holds, by name; nothing where there is none. Throws where it cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
