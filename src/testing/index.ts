/** Tools to test your own models and permission rules, as `retinue/testing`. */
export {
  modelConformance,
  type ConformanceCase,
  type ConformanceSetup,
} from "../model/conformance.ts";
export type { JudgedCase } from "./permission-cases/judge-case.ts";
export { runPermissionCases, type CaseReport } from "./permission-cases/run-cases.ts";
