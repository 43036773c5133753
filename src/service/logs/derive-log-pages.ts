import { GRANULARITIES, type Granularity } from '../../client/resources/fields.ts';
import type { WeekDefinition } from '../../client/resources/log-monitoring.ts';
import { lookUp } from '../../core/text/look-up.ts';
import { type Column, columnsOf, SQL_TYPES } from '../fields/column.ts';
import { LOG_PAGE_FIELD_RECORDS } from '../fields/field-records-of.ts';
import { textOf } from '../oql/compile-oql.ts';
import type { StoredDataset, StoredResource } from '../resources/resources.ts';
import { ServiceRows } from '../rows/service-rows.ts';
import type { ServiceData } from '../rows/service-state.ts';
import { derivedGranularities, periodSql, weekDefinitionOf } from './log-metadata.ts';

/**
 * Derives the pages of log monitoring from its events, so that both agree. Makes one row for each URL and day, week or
 * month, in this order. Does not count events without a readable date.
 */
export async function deriveLogPages(
  rows: ServiceRows,
  events: StoredDataset,
  project: { readonly id: string; readonly weeks: WeekDefinition },
  granularities: readonly Granularity[] = GRANULARITIES,
): Promise<ReadonlyMap<Granularity, StoredDataset>> {
  const made = new Map<Granularity, StoredDataset>();
  const values = eventValues(events.columns);
  for (const granularity of granularities) {
    const columns = columnsOf(LOG_PAGE_FIELD_RECORDS[granularity]);
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

/**
 * SQL that counts events, by the names of fields; over status, bytes, is_bot, is_seo_visit, bot_kind, and place, which
 * grows with time. The kind of visitor is NULL if it is unknown.
 */
export const LOG_PAGE_CELLS: Readonly<Record<string, string>> = {
  hits: 'count(*)',
  bot_hits: ofKnown('is_bot', 'is_bot'),
  seo_bot_hits: ofKnown('is_bot', "bot_kind = 'seo'"),
  sea_bot_hits: ofKnown('is_bot', "bot_kind = 'sea'"),
  vertical_bot_hits: ofKnown('is_bot', "bot_kind = 'vertical'"),
  visits: ofKnown('is_bot', 'NOT is_bot'),
  seo_visits: ofKnown('is_seo_visit', 'is_seo_visit'),
  hits_2xx: hitsWith(2),
  hits_3xx: hitsWith(3),
  hits_4xx: hitsWith(4),
  hits_5xx: hitsWith(5),
  last_status_code: 'arg_max(status, place)',
  bytes_sent: 'coalesce(sum(bytes), 0)',
  is_crawled: anyOf("CASE WHEN is_bot IS NOT NULL THEN coalesce(bot_kind = 'seo', false) END"),
  is_active: anyOf('is_seo_visit'),
};

/** Returns SQL for the number of events of a kind; NULL if an event lacks the value. */
function ofKnown(told: string, kind: string): string {
  return `CASE WHEN count(${told}) = count(*) THEN count(*) FILTER (${kind}) END`;
}

/** Returns SQL for whether any value is true; NULL if none is true and one is unknown. */
export function anyOf(value: string): string {
  return `CASE WHEN bool_or(${value}) THEN true WHEN count(${value}) = count(*) THEN false END`;
}

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
 * Returns SQL for a number that grows with time, and within a second with the line. The same events thus always have
 * the same last one. The result is a number, because DuckDB cannot spill text aggregates.
 */
function placeOf({ at, day }: EventValues): string {
  const moment = `coalesce(TRY_CAST(replace(substr(${at}, 1, 19), '/', '-') AS TIMESTAMP), CAST(${day} AS TIMESTAMP))`;
  return placeSql(`epoch_us(${moment}) // 1000000`, 'rowid');
}

/** Returns SQL for a number that grows with seconds and then lines; impossible times are the first or last. */
export function placeSql(second: string, line: string): string {
  const most = 2 ** 32 - 1;
  return `greatest(least(${second}, ${most}), -${most}) * ${2 ** 31} + ${line} % ${2 ** 31}`;
}

/** SQL for the values of a line of a log file, independent of the names and types of its columns. */
interface EventValues {
  readonly url: string;
  /** A DATE; NULL if the line has none. */
  readonly day: string;
  /** Text that sorts by time. */
  readonly at: string;
  readonly status: string;
  readonly bytes: string;
  /** BOOLEANs that are never NULL. */
  readonly isBot: string;
  readonly isSeoVisit: string;
  /** One of the kinds of api-spec.md §2.16, or NULL. */
  readonly botKind: string;
}

const BOTS = '(bot|spider|crawl|slurp)';
const ORGANIC = '^https?://([^/]+\\.)?google\\.([a-z]{2,3}|com?\\.[a-z]{2})(/|$)';

/**
 * Reads events by the names of the default fields. Derives missing data about bots and visits from the user agent and
 * the referrer. Only bots of the metadata's search engine have a kind. Returns undefined if events have no URL or no
 * date.
 */
function eventValues(columns: readonly Column[]): EventValues | undefined {
  const byName = new Map(columns.map((column) => [column.field.name, column]));
  const maybeTextOf = (column: Column | undefined) => column && textOf(column);
  const value = (name: string): string | undefined => maybeTextOf(byName.get(name));
  const moment = maybeTextOf(columns.find(({ field }) => field.type === 'datetime' || field.type === 'date'));
  const [url, at] = [value('url'), value('event_date') ?? moment];
  if (url === undefined || at === undefined) return undefined;

  const agent = `lower(concat(${value('bot') ?? "''"}, ' ', ${value('user_agent') ?? "''"}))`;
  const named = value('bot');
  const guessed = named === undefined ? `regexp_matches(${agent}, '${BOTS}')` : `${named} IS NOT NULL`;
  const isBot = isTrue(value('is_bot')) ?? `(${guessed})`;
  const organic = `coalesce(regexp_matches(${value('referer') ?? "''"}, '${ORGANIC}', 'i'), false)`;
  const kind = `CASE WHEN NOT ${isBot} THEN NULL
    WHEN regexp_matches(${agent}, 'adsbot-google|mediapartners-google') THEN 'sea'
    WHEN regexp_matches(${agent}, 'googlebot-(image|news|video)') THEN 'vertical'
    WHEN contains(${agent}, 'googlebot') THEN 'seo' END`;
  return {
    url,
    day: `TRY_CAST(replace(substr(${value('day') ?? at}, 1, 10), '/', '-') AS DATE)`,
    at,
    status: `TRY_CAST(${value('status_code') ?? 'NULL'} AS BIGINT)`,
    bytes: `TRY_CAST(${value('bytes_sent') ?? 'NULL'} AS BIGINT)`,
    isBot,
    isSeoVisit: isTrue(value('is_seo_visit')) ?? `(NOT ${isBot} AND ${organic})`,
    botKind: value('bot_kind') ?? `(${kind})`,
  };
}

function isTrue(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `coalesce(lower(${text}) = 'true', false)`;
}

/** Rebuilds the weeks of a project after a change of their definition. Imported weeks stay. */
export async function rederiveWeeks(
  { resources, rows }: ServiceData,
  project: StoredResource,
): Promise<void> {
  const events = resources.dataset(project.id, 'events');
  const weeks = derivedGranularities(resources, project.id).filter((granularity) => granularity === 'weeks');
  if (events === undefined || weeks.length === 0) return;
  const made = await deriveLogPages(
    rows,
    events,
    { id: project.id, weeks: weekDefinitionOf(project) },
    weeks,
  );
  for (const [granularity, dataset] of made)
    resources.putDataset(project.id, `log_pages_${granularity}`, dataset);
}
