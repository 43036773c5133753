import type { NamedCrawl } from '../../project/model/crawl-name.ts';
import type { CatalogReader } from './catalog.ts';

/** Of one project, or of all; main crawls and the one that is asked for are read beyond them. */
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
  SELECT ${['crawl_id', 'project_id', 'project_name', 'previous_crawl_id', 'is_main', 'day']
    .map((name) => `array_agg(${name} ORDER BY ended_at NULLS FIRST, crawl_id) AS ${name}`)
    .join(', ')}
  FROM (
    SELECT *, CAST(CAST(ended_at AS DATE) AS VARCHAR) AS day,
      row_number() OVER (ORDER BY ended_at DESC NULLS LAST, crawl_id DESC) AS place
    FROM mart.crawls
    WHERE $project IS NULL OR project_id = $project OR project_name = $project
  ) AS placed
  WHERE place <= ${MOST} OR is_main OR crawl_id = $crawl`;

/** What is known of crawls, column by column; each null where there are none. */
interface Found {
  readonly crawl_id: string[] | null;
  readonly project_id: (string | null)[];
  readonly project_name: (string | null)[];
  readonly previous_crawl_id: (string | null)[];
  readonly is_main: boolean[];
  readonly day: (string | null)[];
}

/**
 * The crawls of a published warehouse in the order of their ends; null where it has no `mart.crawls`. The latest of a
 * project is the one that questions answer for, and those before it are of its configuration. Each query has one row,
 * because the reader may limit rows.
 */
export async function knownCrawls(
  warehouse: CatalogReader,
  asked: { readonly project: string | null; readonly crawl: string | null },
  signal: AbortSignal,
): Promise<readonly NamedCrawl[] | null> {
  const [there] = (await warehouse.rows(
    `SELECT count(*) AS columns FROM duckdb_columns() WHERE database_name = current_database()
       AND schema_name = 'mart' AND table_name = 'crawls' AND column_name IN (${PLACES})`,
    signal,
  )) as { columns: number }[];
  if (there?.columns !== COLUMNS.length) return null;
  const [found] = (await warehouse.rows(KNOWN, signal, new Map(Object.entries(asked)))) as Found[];
  const previous = new Map(found?.crawl_id?.map((id, at) => [id, found.previous_crawl_id[at] ?? null]));
  const places = new Map<string, number>();
  for (const [at, main] of (found?.crawl_id ?? []).entries()) {
    if (found?.is_main[at] !== true) continue;
    for (let id: string | null = main, back = 0; id !== null; back++) {
      places.set(id, back);
      id = previous.get(id) ?? null;
    }
  }
  return (found?.crawl_id ?? []).map((id, at) => ({
    id,
    project_id: found?.project_id[at] ?? null,
    project_name: found?.project_name[at] ?? null,
    day: found?.day[at] ?? null,
    back: places.get(id) ?? null,
  }));
}
