import { StreamedRows } from '../../core/duckdb/streamed-rows.ts';
import type { StoredDataset } from '../resources/resources.ts';
import { ServiceRows } from '../rows/service-rows.ts';
import type { ServiceState } from '../rows/service-state.ts';

/** Days that count, up to the last one with data. */
const DAYS = 90;

/** Datasets of a project with the columns that show demand for a URL, and the day of a row. */
const SHOWN = [
  ['ranking_performance', 'clicks', 'date'],
  ['log_pages_days', 'bot_hits', 'day'],
] as const;

/** Returns URLs of a project with clicks, then URLs with hits of bots, both in descending order, in batches. */
export async function* demandedUrls(
  { resources, rows }: Pick<ServiceState, 'resources' | 'rows'>,
  projectId: string,
): AsyncGenerator<string[]> {
  for (const [name, count, day] of SHOWN) {
    const dataset = resources.dataset(projectId, name);
    const sql = dataset && demandedSql(dataset, count, day);
    if (sql === undefined) continue;
    yield* rows.stream(async function* (connection) {
      for await (const chunk of (await StreamedRows.open(connection.inner, sql)).chunks())
        yield chunk.getRows().map(([url]) => String(url));
    });
  }
}

function demandedSql({ table, columns }: StoredDataset, count: string, day: string): string | undefined {
  const idOf = (name: string) => columns.find(({ field }) => field.name === name)?.id;
  const [url, total, date] = [idOf('url'), idOf(count), idOf(day)];
  if (table === undefined || url === undefined || total === undefined || date === undefined) return undefined;
  const asDay = `TRY_CAST(CAST(${date} AS VARCHAR) AS DATE)`;
  return `WITH day AS (SELECT ${url} AS url, TRY_CAST(${total} AS BIGINT) AS total, ${asDay} AS day FROM ${ServiceRows.table(table)})
    SELECT url FROM day WHERE url IS NOT NULL AND day > (SELECT max(day) - ${DAYS} FROM day)
    GROUP BY url HAVING sum(total) > 0 ORDER BY sum(total) DESC, url`;
}
