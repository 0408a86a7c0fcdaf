/**
 * The sources of definitions, and their priority: the higher number wins a name. Among project directories the one
 * nearest to the working directory wins. This table is the only place that defines it.
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
