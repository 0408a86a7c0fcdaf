import { z } from "zod";

/** The part of an agent that the loop uses; everything may run. */
export const looseAgent = {
  id: "a",
  type: "t",
  costs: { model: "m", effort: null, thinks: false, maxTurns: 5 },
  sees: { system: "", reminder: null },
  meets: {
    permissions: {
      mode: "bypassPermissions",
      rules: [],
      takesSessionGrants: true,
      confined: [],
      memory: null,
      project: "/",
      trusted: true,
      workspace: { cwd: "/", directories: ["/"], branch: null },
      directories: [],
      own: [],
      state: [],
      readable: [],
    },
  },
};

/** The traits of a tool that does nothing which anybody must be asked about. */
export const looseTool = {
  description: "",
  input: z.object({}),
  effect: "other",
  background: true,
  audience: "all",
  concurrency: "alone",
  repeatable: true,
} as const;
