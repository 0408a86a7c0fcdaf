/**
 * Where definitions come from, and who wins when two have one name: the higher number. Among project directories the
 * one nearest to the working directory wins. This table is the only place that says so.
 */
export const sources = {
  policy: 50,
  programmatic: 40,
  project: 30,
  user: 20,
  plugin: 10,
  "built-in": 0,
} as const;

export type SourceName = keyof typeof sources;
