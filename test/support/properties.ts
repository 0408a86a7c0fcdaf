import fc from "fast-check";

/** The same cases each time, so that a red test is about the change at hand; `RETINUE_SEED` looks at others. */
fc.configureGlobal({ seed: Number(process.env["RETINUE_SEED"] ?? 20_261_116) });

export { default as fc } from "fast-check";
