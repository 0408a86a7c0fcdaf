/** What you need to test your own models, as `retinue/testing`. */
export {
  modelConformance,
  type ConformanceCase,
  type ConformanceSetup,
} from "../model/conformance.ts";
