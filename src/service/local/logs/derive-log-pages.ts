import { lookUp } from '../../../core/text/look-up.ts';
import { GRANULARITIES, type Granularity } from '../../api/resources/fields.ts';
import type { WeekDefinition } from '../../api/resources/log-monitoring.ts';
import { type Column, kindOfField, SQL_TYPES } from '../fields/column.ts';
import { LOG_PAGE_CATALOGUES } from '../fields/log-catalogue.ts';
import type { Dataset } from '../resources/resources.ts';
import { ServiceRows } from '../rows/row-store.ts';
import { type EventValues, eventValues } from './event-values.ts';
import { periodSql } from './period.ts';

/**
 * Makes the pages of log monitoring from its events, so that both say the same: one row for each URL and day, week or
 * month, in this order. Events without a readable date are in none of them.
 */
export async function deriveLogPages(
  rows: ServiceRows,
  events: Dataset,
  project: { readonly id: string; readonly weeks: WeekDefinition },
  granularities: readonly Granularity[] = GRANULARITIES,
): Promise<ReadonlyMap<Granularity, Dataset>> {
  const made = new Map<Granularity, Dataset>();
  const values = eventValues(events.columns);
  for (const granularity of granularities) {
    const columns = LOG_PAGE_CATALOGUES[granularity].map(
      (field, index): Column => ({ id: `c${index}`, kind: kindOfField(field), field }),
    );
    if (events.table === undefined || values === undefined) {
      made.set(granularity, { table: undefined, columns });
      continue;
    }
    const table = `log_pages_${granularity}_${project.id}`;
    const source = ServiceRows.table(events.table);
    const period = periodSql(granularity, 'day', project.weeks);
    const sql = `CREATE OR REPLACE TABLE ${ServiceRows.table(table)} AS ${pagesSql(period, columns, eventsSql(source, values))}`;
    await rows.use((connection) => connection.run(sql));
    made.set(granularity, { table, columns });
  }
  return made;
}

/** SQL that counts events, by the names of fields; over status, bytes, is_bot, is_seo_visit, bot_kind, and place, which grows with time. */
export const LOG_PAGE_CELLS: Readonly<Record<string, string>> = {
  hits: 'count(*)',
  bot_hits: 'count(*) FILTER (is_bot)',
  seo_bot_hits: "count(*) FILTER (bot_kind = 'seo')",
  sea_bot_hits: "count(*) FILTER (bot_kind = 'sea')",
  vertical_bot_hits: "count(*) FILTER (bot_kind = 'vertical')",
  visits: 'count(*) FILTER (NOT is_bot)',
  seo_visits: 'count(*) FILTER (is_seo_visit)',
  hits_2xx: hitsWith(2),
  hits_3xx: hitsWith(3),
  hits_4xx: hitsWith(4),
  hits_5xx: hitsWith(5),
  last_status_code: 'arg_max(status, place)',
  bytes_sent: 'coalesce(sum(bytes), 0)',
  is_crawled: "count(*) FILTER (bot_kind = 'seo') > 0",
  is_active: 'count(*) FILTER (is_seo_visit) > 0',
};

function hitsWith(range: number): string {
  return `count(*) FILTER (status // 100 = ${range})`;
}

/** @param period SQL of the period that a `day` is in */
function pagesSql(period: string, columns: readonly Column[], events: string): string {
  const cells: Readonly<Record<string, string>> = {
    url: 'url',
    urlpath: "coalesce(nullif(regexp_extract(url, '^(?:[a-z]+://[^/?#]*)?([^?#]*)', 1), ''), '/')",
    day: period,
    week: period,
    month: period,
    ...LOG_PAGE_CELLS,
  };
  const selected = columns.map(
    ({ id, kind, field }) => `CAST(${lookUp(cells, field.name)} AS ${SQL_TYPES[kind]}) AS ${id}`,
  );
  return `SELECT ${selected.join(', ')} FROM (${events}) WHERE day IS NOT NULL AND url IS NOT NULL GROUP BY ${period}, url ORDER BY ${period}, url`;
}

function eventsSql(source: string, event: EventValues): string {
  return `SELECT ${event.url} AS url, ${event.day} AS day, ${event.status} AS status, ${event.bytes} AS bytes,
    ${event.isBot} AS is_bot, ${event.isSeoVisit} AS is_seo_visit, ${event.botKind} AS bot_kind, ${placeOf(event)} AS place FROM ${source}`;
}

/**
 * SQL for a number that grows with time, and within a second with the line. The same events thus always have the same
 * last one. It is a number, because DuckDB can't spill text aggregates.
 */
function placeOf({ at, day }: EventValues): string {
  const moment = `coalesce(TRY_CAST(replace(substr(${at}, 1, 19), '/', '-') AS TIMESTAMP), CAST(${day} AS TIMESTAMP))`;
  return `epoch_us(${moment}) // 1000000 * ${2 ** 31} + rowid % ${2 ** 31}`;
}
