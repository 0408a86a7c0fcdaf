#!/usr/bin/env node
// From the sources; the package's own command is bin/retinue.js.
import { runCommandLine } from "./command-line.ts";

process.exitCode = await runCommandLine(process.argv.slice(2));
