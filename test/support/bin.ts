import { fileURLToPath } from "node:url";

/** The command as users have it: the built package's. */
export const bin: string = fileURLToPath(new URL("../../bin/retinue.js", import.meta.url));
