import { z } from "zod";

/** One question that an agent asks the person it works for. */
export const questionSchema = z.object({
  question: z.string().trim().min(1).describe("The whole question"),
  header: z.string().trim().min(1).describe("One or two words"),
  options: z
    .array(z.object({ label: z.string().trim().min(1), description: z.string() }))
    .min(2)
    .max(4),
  multiSelect: z.boolean().default(false),
});

export type Question = z.infer<typeof questionSchema>;
