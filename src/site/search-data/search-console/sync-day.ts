import { hash } from 'node:crypto';
import { stringifyJson } from '../../../core/text/json.ts';
import { plausibleTime } from '../../../core/time/plausible-days.ts';
import type { DemandExport, DemandRecord, DemandRow, DemandTable, Dimension } from '../demand-row.ts';
import { makeRecord } from '../make-record.ts';
import { type AnswerRow, cellsOf } from './api-table.ts';
import type { ApiDimension, SearchConsole } from './search-console.ts';

/** Rows by query leave out anonymized queries; rows without the query include their clicks. */
const NAMED: readonly ApiDimension[] = ['page', 'query', 'device'];
const WHOLE: readonly ApiDimension[] = ['page', 'device'];
const DETAIL: readonly Dimension[] = ['date', 'url', 'query', 'device'];
const MIN_POSITION = 1;
/**
 * Decimals of positions. Positions are as exact as the service's own (six decimals); further decimals of two averages
 * are noise.
 */
const DECIMALS = 1e6;

/** Returns the prefix of the hash of each day of a property. */
export function syncMark(property: string): string {
  return `search-console ${property} `;
}

/**
 * Returns a day of a property as an export: its rows by page, query and device, the remaining figures of each page and
 * device as a row without a query, and the totals of the day.
 *
 * @param total the row by date
 */
export async function syncDay(
  service: SearchConsole,
  { property, day, total }: { readonly property: string; readonly day: string; readonly total: AnswerRow },
  signal: AbortSignal,
): Promise<DemandExport> {
  const span = { property, from: day, to: day };
  const named = await all(service.rows(span, NAMED, signal));
  const whole = await all(service.rows(span, WHOLE, signal));
  const place = `${property}, ${day}`;
  const range = plausibleTime(Date.now());
  const row = (answer: AnswerRow, dimensions: readonly Dimension[]): DemandRecord =>
    makeRecord({ date: day, ...cellsOf(answer, dimensions) }, ['date', ...dimensions], {
      place,
      line: null,
      range,
    });
  const records = named.map((answer) => row(answer, ['url', 'query', 'device']));
  const sums = whole.map((answer) => row(answer, ['url', 'device']));
  return {
    format: 'search_console_api',
    engine: 'google',
    files: [place],
    hash: `${syncMark(property)}${day} ${hash('sha256', stringifyJson([named, whole, total]))}`,
    supersedes: `${syncMark(property)}${day} `,
    period: null,
    tables: [
      tableOf(place, DETAIL, [...records, ...unnamedRows(records, sums)]),
      tableOf(place, ['date'], [row({ ...total, keys: [] }, [])]),
    ],
    notes: [],
  };
}

/** Returns the figures of each page and device beyond its rows by query. */
export function unnamedRows(named: readonly DemandRecord[], whole: readonly DemandRecord[]): DemandRecord[] {
  const rows = named.flatMap((record) => ('row' in record ? [record.row] : []));
  const byPage = Map.groupBy(rows, keyOf);
  return whole.flatMap((record): DemandRecord[] => {
    if (!('row' in record)) return [record];
    const rest = restOf(record.row, byPage.get(keyOf(record.row)) ?? []);
    return rest === null ? [] : [{ row: rest }];
  });
}

function restOf(whole: DemandRow, parts: readonly DemandRow[]): DemandRow | null {
  const less = (name: 'clicks' | 'impressions'): bigint => {
    const rest = parts.reduce((left, part) => left - part[name], whole[name]);
    return rest < 0n ? 0n : rest;
  };
  const [clicks, impressions] = [less('clicks'), less('impressions')];
  if (clicks === 0n && impressions === 0n) return null;
  const weighed = (row: DemandRow): number => (row.position ?? 0) * Number(row.impressions);
  const sum = parts.reduce((left, part) => left - weighed(part), weighed(whole));
  const position =
    impressions === 0n || whole.position === null
      ? null
      : Math.round((sum / Number(impressions)) * DECIMALS) / DECIMALS;
  return {
    ...whole,
    clicks,
    impressions,
    // Truncated rows may leave no position.
    position: position === null || position < MIN_POSITION ? null : position,
    isAnonymized: true,
  };
}

function keyOf({ url, device }: DemandRow): string {
  return `${device} ${url}`;
}

function tableOf(
  place: string,
  dimensions: readonly Dimension[],
  records: readonly DemandRecord[],
): DemandTable {
  return {
    place,
    dimensions,
    async *records() {
      yield* records;
    },
  };
}

async function all(pages: AsyncIterable<readonly AnswerRow[]>): Promise<AnswerRow[]> {
  return (await Array.fromAsync(pages)).flat();
}
