import { packagePath } from "../contract/package-path.ts";

/** A configuration with which ripgrep prints nothing of ignore files: a folder can have a link to any file for one. */
export const quietRipgrep: string = packagePath("templates/quiet.ripgreprc");
