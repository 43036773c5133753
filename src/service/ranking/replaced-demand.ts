import { z } from 'zod';
import { type Connection, ident, text } from '../../core/duckdb/duckdb.ts';
import { type Typed, typedRows } from '../../core/text/typed-rows.ts';
import { DETAILS, type DemandTables, EXPORT, idOf, LEFT_OUT, TOTALS } from './demand-tables.ts';

const ReplacedTotal = z.strictObject({
  by: z.string(),
  from: z.string(),
  to: z.string(),
  rows: z.number(),
  clicks: z.bigint(),
});

/** The rows of earlier exports that a new export replaces. */
export interface Replaced {
  /** Days whose rows by URL are replaced. */
  readonly days: number;
  /** URLs that only the earlier rows of these days contain, and their clicks. */
  readonly lost_urls: number;
  readonly lost_clicks: bigint;
  /** Totals of a period that are replaced, by their dimensions. */
  readonly totals: readonly Typed<typeof ReplacedTotal>[];
  /** Totals by URL that answers show, and that rows by day hide: their URLs without rows by day. */
  readonly hidden: {
    readonly from: string;
    readonly to: string;
    readonly urls: number;
    readonly clicks: bigint;
  } | null;
}

interface HiddenPeriod extends NonNullable<Replaced['hidden']> {
  /** The export that has its totals. */
  readonly holder: string;
}

const [DATE, URL_, CLICKS, PERIOD, BY, ENGINE] = [
  'date',
  'url',
  'clicks',
  'period_days',
  'totals_by',
  'search_engine',
].map(idOf);
const FROM = `CAST(CAST(${DATE} AS DATE) - CAST(${PERIOD} - 1 AS INTEGER) AS VARCHAR)`;
/** Days that mart.page_demand looks back. */
const WINDOW = 28;

/** Condition for earlier rows by day and URL that are replaced. */
export const DETAILS_GO = `${PERIOD} IS NULL AND ${DATE} IN (SELECT ${DATE} FROM ${DETAILS})`;

/**
 * Returns the condition for earlier totals that are replaced: those by the same dimensions; for a whole export, all
 * totals of its period.
 */
export function totalsGo(isWhole: boolean): string {
  const key = [ENGINE, DATE, PERIOD].join(', ');
  const same = `(${key}, ${BY}) IN (SELECT (${key}, ${BY}) FROM ${TOTALS})`;
  if (!isWhole) return same;
  return `(${same} OR ${BY} <> 'all' AND (${key}) IN (SELECT (${key}) FROM ${TOTALS} WHERE ${BY} <> 'all'))`;
}

/** Returns what exports other than `hash` lose to the staged rows. */
export async function replacedDemand(
  connection: Connection,
  { rows }: DemandTables,
  { hash, isWhole }: { readonly hash: string; readonly isWhole: boolean },
): Promise<Replaced> {
  const others = `${rows} WHERE ${EXPORT} <> ${text(hash)}`;
  const isLost = `${URL_} NOT IN (SELECT ${URL_} FROM ${DETAILS})`;
  const [details] = await connection.rows(
    `SELECT count(DISTINCT ${DATE}) AS days, count(DISTINCT ${URL_}) FILTER (${isLost}) AS urls,
       CAST(coalesce(sum(${CLICKS}) FILTER (${isLost}), 0) AS BIGINT) AS clicks
     FROM ${others} AND ${DETAILS_GO}`,
  );
  const totals = typedRows(
    ReplacedTotal,
    await connection.rows(
      `SELECT ${BY} AS "by", min(${FROM}) AS "from", max(${DATE}) AS "to", CAST(count(*) AS INTEGER) AS rows,
         CAST(sum(${CLICKS}) AS BIGINT) AS clicks
       FROM ${others} AND ${PERIOD} IS NOT NULL AND ${totalsGo(isWhole)}
       GROUP BY ${BY}, ${PERIOD} ORDER BY "by", "from"`,
    ),
  );
  const hidden = await hiddenPeriod(connection, rows);
  return {
    days: Number(details?.days),
    lost_urls: Number(details?.urls),
    lost_clicks: BigInt(String(details?.clicks)),
    totals,
    hidden: hidden === null ? null : withoutHolder(hidden),
  };
}

/** Returns the period whose totals mart.page_demand shows now, if it would show the staged rows by day instead. */
export async function hiddenPeriod(connection: Connection, rows: string): Promise<HiddenPeriod | null> {
  const [found] = await connection.rows(
    `WITH shown AS (
       SELECT ${ENGINE} AS engine, ${BY} AS totals_by, ${PERIOD} AS days, ${DATE} AS day FROM ${rows}
       WHERE ${PERIOD} IS NOT NULL AND ${URL_} IS NOT NULL
       ORDER BY engine DESC, day DESC, length(totals_by), days DESC LIMIT 1
     )
     SELECT any_value(${FROM}) AS "from", day AS "to", count(DISTINCT ${URL_}) AS urls, CAST(sum(${CLICKS}) AS BIGINT) AS clicks,
       any_value(${ident(EXPORT)}) AS holder
     FROM shown
     JOIN ${rows} ON ${ENGINE} = engine AND ${BY} = totals_by AND ${PERIOD} = days AND ${DATE} = day
     WHERE ${URL_} NOT IN (SELECT ${URL_} FROM ${DETAILS})
       AND coalesce((SELECT max(${DATE}) FROM ${rows} WHERE ${PERIOD} IS NULL), '') <= ${daysBefore('day')}
       AND (SELECT max(${DATE}) FROM ${DETAILS}) > ${daysBefore('day')}
     GROUP BY day`,
  );
  if (found === undefined) return null;
  const { from, to, urls, clicks, holder } = found;
  return {
    from: String(from),
    to: String(to),
    holder: String(holder),
    urls: Number(urls),
    clicks: BigInt(String(clicks)),
  };
}

function withoutHolder({ holder: _, ...hidden }: HiddenPeriod): Replaced['hidden'] {
  return hidden;
}

/** Returns a condition for rows by day that would hide totals of a period. */
export function hidesPeriod({ to }: Pick<HiddenPeriod, 'to'>): string {
  return `${DATE} > ${daysBefore(text(to))}`;
}

/**
 * Removes staged rows that would replace or hide earlier rows. Returns the omitted days; `LEFT_OUT` then contains these
 * rows.
 */
export async function keepEarlier(connection: Connection, { rows }: DemandTables): Promise<number> {
  const hidden = await hiddenPeriod(connection, rows);
  const hides = hidden === null ? '' : `OR ${hidesPeriod(hidden)}`;
  const key = [ENGINE, DATE, PERIOD, BY].join(', ');
  const same = [ENGINE, DATE, PERIOD, BY].map((one) => `had.${one} = new.${one}`).join(' AND ');
  const holderOf = (condition: string): string =>
    `(SELECT any_value(had.${ident(EXPORT)}) FROM ${rows} AS had WHERE ${condition})`;
  const hider = hidden === null ? 'NULL' : text(hidden.holder);
  const waiting = [
    {
      table: DETAILS,
      goes: `${DATE} IN (SELECT ${DATE} FROM ${rows} WHERE ${PERIOD} IS NULL) ${hides}`,
      holder: `coalesce(${holderOf(`had.${PERIOD} IS NULL AND had.${DATE} = new.${DATE}`)}, ${hider})`,
    },
    { table: TOTALS, goes: `(${key}) IN (SELECT (${key}) FROM ${rows})`, holder: holderOf(same) },
  ];
  const left = await connection.scalar(
    `SELECT count(DISTINCT ${DATE}) FROM ${DETAILS} WHERE ${waiting[0]?.goes}`,
  );
  for (const { table, goes, holder } of waiting) {
    await connection.run(
      `INSERT INTO ${LEFT_OUT} SELECT new.*, ${holder}, true FROM (SELECT * FROM ${table} WHERE ${goes}) AS new`,
    );
    await connection.run(`DELETE FROM ${table} WHERE ${goes}`);
  }
  return Number(left);
}

function daysBefore(day: string): string {
  return `CAST(CAST(${day} AS DATE) - ${WINDOW} AS VARCHAR)`;
}
