import { defineConfig } from "oxlint";
import { floors } from "./scripts/floors.ts";

/** A room is a folder of `src/` or, with its ending, a file. */
const within = (room: string): string => (room.endsWith(".ts") ? room : `${room}/**`);

const walls = floors.slice(0, -1).map((rooms, floor) => ({
  files: rooms.map((room) => `src/${within(room)}`),
  rules: {
    "eslint/no-restricted-imports": [
      "error" as const,
      {
        patterns: [
          {
            group: floors
              .slice(floor + 1)
              .flatMap((above) => above.map((room) => `**/${within(room)}`)),
            message: "Imports point one way, down: see docs/architecture.md.",
          },
        ],
      },
    ],
  },
}));

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import"],
  categories: {
    correctness: "error",
    suspicious: "error",
    perf: "warn",
  },
  ignorePatterns: ["dist", "demo/repo", "node_modules"],
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/await-thenable": "error",
    "typescript/switch-exhaustiveness-check": [
      "error",
      {
        considerDefaultExhaustiveForUnions: true,
      },
    ],
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/no-unnecessary-type-arguments": "off",
    "eslint/no-await-in-loop": "off",
    "eslint/no-shadow": "off",
    "eslint/no-underscore-dangle": "off",
    "eslint/no-control-regex": "off",
    "eslint/eqeqeq": ["error", "always"],
    "eslint/no-console": "error",
    "unicorn/no-array-sort": "off",
    "unicorn/consistent-function-scoping": "off",
    "unicorn/prefer-add-event-listener": "off",
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "import/no-unassigned-import": "off",
    "typescript/consistent-return": "off",
    "oxc/no-map-spread": "off",
    "unicorn/no-useless-spread": "off",
    "import/no-named-as-default-member": "off",
    "import/no-named-as-default": "off",
  },
  overrides: [
    {
      files: ["*.config.ts"],
      rules: {
        "import/no-default-export": "off",
      },
    },
    {
      files: ["scripts/**", "bin/**", "examples/**"],
      rules: {
        "eslint/no-console": "off",
      },
    },
    ...walls,
  ],
});
