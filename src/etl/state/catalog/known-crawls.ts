import { z } from 'zod';
import { typedRows } from '../../../core/text/typed-rows.ts';
import type { NamedCrawl } from '../../project/model/crawl-name.ts';
import type { CatalogReader } from './catalog.ts';

/** Maximum crawls, per project or for all projects. Main crawls and the requested crawl are read in addition. */
const MOST = 1000;

const COLUMNS = [
  'crawl_id',
  'project_id',
  'project_name',
  'previous_crawl_id',
  'ended_at',
  'is_main',
] as const;
const PLACES = COLUMNS.map((name) => `'${name}'`).join(', ');

const KNOWN = `
  SELECT ${Object.entries({
    ids: 'crawl_id',
    project_ids: 'project_id',
    names: 'project_name',
    previous_ids: 'previous_crawl_id',
    mains: 'is_main',
    days: 'day',
  })
    .map(([list, column]) => `array_agg(${column} ORDER BY ended_at NULLS FIRST, crawl_id) AS ${list}`)
    .join(', ')}
  FROM (
    SELECT *, CAST(CAST(ended_at AS DATE) AS VARCHAR) AS day,
      row_number() OVER (ORDER BY ended_at DESC NULLS LAST, crawl_id DESC) AS place
    FROM mart.crawls
    WHERE $project IS NULL OR project_id = $project OR project_name = $project
  ) AS placed
  WHERE place <= ${MOST} OR is_main OR crawl_id = $crawl`;

const There = z.strictObject({ columns: z.number() });
const Texts = z.array(z.string().nullable()).nullable();

/** The known values of crawls, column by column. Each is null if there are none. */
const KnownRow = z.strictObject({
  ids: z.array(z.string()).nullable(),
  project_ids: Texts,
  names: Texts,
  previous_ids: Texts,
  mains: z.array(z.boolean().nullable()).nullable(),
  days: Texts,
});

/**
 * Returns the crawls of a published warehouse in the order of their ends; null if there is no `mart.crawls`. Questions
 * use the latest crawl of a project; the previous crawls have the same configuration. Each query returns one row,
 * because the reader may limit rows.
 */
export async function knownCrawls(
  warehouse: CatalogReader,
  asked: { readonly project: string | null; readonly crawl: string | null },
  signal: AbortSignal,
): Promise<readonly NamedCrawl[] | null> {
  const known = await warehouse.rows(
    `SELECT count(*) AS columns FROM duckdb_columns() WHERE database_name = current_database()
       AND schema_name = 'mart' AND table_name = 'crawls' AND column_name IN (${PLACES})`,
    signal,
  );
  if (typedRows(There, known)[0]?.columns !== COLUMNS.length) return null;
  const [found] = typedRows(KnownRow, await warehouse.rows(KNOWN, signal, new Map(Object.entries(asked))));
  const previous = new Map(found?.ids?.map((id, at) => [id, found?.previous_ids?.[at] ?? null]));
  const places = new Map<string, number>();
  for (const [at, main] of (found?.ids ?? []).entries()) {
    if (found?.mains?.[at] !== true) continue;
    for (let id: string | null = main, back = 0; id !== null; back++) {
      places.set(id, back);
      id = previous.get(id) ?? null;
    }
  }
  return (found?.ids ?? []).map((id, at) => ({
    id,
    project_id: found?.project_ids?.[at] ?? null,
    project_name: found?.names?.[at] ?? null,
    day: found?.days?.[at] ?? null,
    back: places.get(id) ?? null,
  }));
}
