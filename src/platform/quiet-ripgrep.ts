import { packagePath } from "../contract/package-path.ts";

/**
 * A configuration with which ripgrep prints nothing of ignore files: an ignore file in a folder can be a link to any
 * file.
 */
export const quietRipgrep: string = packagePath("templates/quiet.ripgreprc");
