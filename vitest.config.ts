import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/build.ts"],
    setupFiles: ["test/support/own-tmpdir.ts", "test/support/load-shell-parser.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: process.env["CI"] ? ["default", "json"] : ["default"],
    outputFile: { json: "node_modules/.cache/vitest-report.json" },
  },
});
