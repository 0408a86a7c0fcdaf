import { loadShellParser } from "../../src/permissions/shell/parser.ts";

// Whoever judges a command loads the parser first; here that is every test.
await loadShellParser();
