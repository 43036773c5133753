import { z } from 'zod';

export const SOURCE_KINDS = [
  'crawl',
  'crawl_over_crawl',
  'log_monitoring',
  'ranking_performance',
  'resource',
] as const;

/** Schemas of the warehouse and of DuckDB, which are not valid names of datasets. */
const SCHEMAS: readonly string[] = ['raw', 'mart', 'ops', 'main', 'temp', 'system', 'information_schema'];

/** A dataset's name, also the name of its table in `raw` and of its pipeline file. */
export const Dataset = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, 'a dataset is named in lower case: letters, digits, _')
  .max(63, 'the name of a dataset has at most 63 characters')
  .refine((name) => !SCHEMAS.includes(name), { error: 'a dataset is not named as a schema is' });

/** The service's id of a crawl, comparison, project or workspace, as in unit names and folders. */
const SourceId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'an id has letters, digits, _ and -, at most 128 of them');

/** A span of days, weeks or months of a dated source: `from` inclusive, `to` exclusive, `YYYY-MM-DD`. */
export const Window = z
  .object({ from: z.iso.date(), to: z.iso.date() })
  .refine(({ from, to }) => from < to, { error: 'a window ends after it begins' });
export type Window = z.infer<typeof Window>;

/** The unit of work: one source object × data type (× window). */
export const Unit = z.object({
  dataset: Dataset,
  source: z.object({
    kind: z.enum(SOURCE_KINDS),
    /** Id of the crawl, comparison or project; of the workspace for resources. */
    id: SourceId,
    /** Null for resources, which span projects. */
    project_id: SourceId.nullable(),
  }),
  window: Window.nullable(),
});
export type Unit = z.infer<typeof Unit>;

/**
 * Returns whether a time (UTC milliseconds) is before the end of the unit's window. Data loaded before it may lack
 * rows.
 */
export function isBeforeEnd(time: number, { window }: Unit): boolean {
  return window !== null && time < Date.parse(window.to);
}

/** Returns `<dataset>/<source id>` or `<dataset>/<source id>/<window>` (interface.md). */
export function unitName(unit: Unit): string {
  const window = unit.window ? `/${unit.window.from}` : '';
  return `${unit.dataset}/${unit.source.id}${window}`;
}
