import { z } from 'zod';

export const SOURCE_KINDS = [
  'crawl',
  'crawl_over_crawl',
  'log_monitoring',
  'ranking_performance',
  'resource',
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** A span of days, weeks or months of a dated source: `from` inclusive, `to` exclusive, `YYYY-MM-DD`. */
export const Window = z.object({ from: z.string(), to: z.string() });
export type Window = z.infer<typeof Window>;

/** The unit of work: one source object × data type (× window). */
export const Unit = z.object({
  dataset: z.string(),
  source: z.object({
    kind: z.enum(SOURCE_KINDS),
    /** Id of the crawl, comparison or project; of the workspace for resources. */
    id: z.string(),
    /** Null for resources, which span projects. */
    project_id: z.string().nullable(),
  }),
  window: Window.nullable(),
});
export type Unit = z.infer<typeof Unit>;

/** `<dataset>/<source id>` or `<dataset>/<source id>/<window>` (interface.md). */
export function unitName(unit: Unit): string {
  const window = unit.window ? `/${unit.window.from}` : '';
  return `${unit.dataset}/${unit.source.id}${window}`;
}
