import fc from "fast-check";

/** Uses the same cases each time, so that a red test is due to the change at hand; `RETINUE_SEED` chooses others. */
fc.configureGlobal({ seed: Number(process.env["RETINUE_SEED"] ?? 20_261_116) });

export { default as fc } from "fast-check";
