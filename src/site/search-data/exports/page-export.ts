import { CrawlhouseError } from '../../../core/errors/errors.ts';
import {
  type DemandExport,
  type DemandTable,
  type Dimension,
  dimensionsText,
  type Period,
  type RejectedRow,
} from '../demand-row.ts';
import type { CsvTable } from './csv-tables.ts';
import { narrowingFilters } from './recognize-table.ts';

type Totals = Extract<CsvTable, { kind: 'totals' }>;

/** The file, its content and its days, before its tables are known. */
export interface ExportSource {
  readonly files: readonly string[];
  readonly fileHashes: readonly string[];
  readonly hash: string;
  readonly options: { readonly period: Period | null };
  readonly signal: AbortSignal;
}

/**
 * Returns the tables of an export from the page of Search Console or Bing Webmaster Tools: totals of a period, each by
 * one dimension. The days of the period come from the table by date, or else from the caller.
 *
 * @throws CrawlhouseError `usage` without days, for two tables by the same dimension, or for a part of web search
 */
export async function pageExport(tables: readonly CsvTable[], about: ExportSource): Promise<DemandExport> {
  const { files, fileHashes, hash, options, signal } = about;
  refuseParts(tables, files);
  const totals = withoutEmptyTwins(tables.filter((table): table is Totals => table.kind === 'totals'));
  const dimensions = totals.map(({ dimension }) => dimension);
  const twice = dimensions.find((dimension, index) => dimensions.indexOf(dimension) !== index);
  if (twice !== undefined) throw twins(totals, twice);
  const engine = totals.some(({ isBing }) => isBing) ? 'bing' : 'google';
  const dates = totals.find(({ dimension }) => dimension === 'date')?.table;
  const period = (dates && (await daysOf(dates, signal))) ?? options.period;
  const [first] = totals;
  if (first === undefined) {
    throw new CrawlhouseError('usage', `${files.join(', ')}: no table has clicks and impressions`, {
      hint: 'also add the pages, queries and dates tables',
    });
  }
  if (period === null) throw withoutPeriod(first.table, tables);
  return {
    format: engine === 'bing' ? 'bing_page' : 'search_console_page',
    engine,
    files,
    fileHashes,
    hash,
    period,
    tables: totals.map(({ table }) => table),
    notes: notesOf(tables),
  };
}

/** Refuses an export that covers only a part of web search, because its totals would replace those of the whole. */
function refuseParts(tables: readonly CsvTable[], files: readonly string[]): void {
  const lists = tables.flatMap((table) => (table.kind === 'filters' ? [table] : []));
  const narrowing = lists.flatMap(({ filters }) => narrowingFilters(filters));
  const [list] = lists;
  if (list !== undefined && narrowing.length > 0) {
    throw new CrawlhouseError(
      'usage',
      `${files.join(', ')} has only a part of web search (${narrowing.join('; ')}), which would replace the totals of its days`,
      {
        hint: `export the search type Web without filters. If it is such an export in another language, unpack it and add its tables without ${list.place}`,
      },
    );
  }
  const google = tables.flatMap((table) =>
    table.kind === 'totals' && !table.isBing && !table.isEmpty ? [table] : [],
  );
  if (google.length === 0 || !google.every(({ lacksPositions }) => lacksPositions)) return;
  throw new CrawlhouseError(
    'usage',
    `${files.join(', ')} has no positions: it is from Discover or Google News, not from web search`,
    { hint: 'export search results of the type Web, with the average position' },
  );
}

/** Returns the error of totals without their days. */
export function withoutPeriod(
  { place, dimensions }: DemandTable,
  others: readonly CsvTable[] = [],
): CrawlhouseError {
  const unread = others.flatMap((other) =>
    other.kind === 'unknown' ? [` (${other.place}: ${other.why})`] : [],
  );
  return new CrawlhouseError(
    'usage',
    `${place} has totals by ${dimensionsText(dimensions) || 'nothing'}, but no table by date shows the days${unread[0] ?? ''}`,
    {
      hint: 'add the table by date, or set the days (--to is the day after the last day): --from 2026-10-01 --to 2026-11-01',
    },
  );
}

/** Removes empty tables that nothing distinguishes. Tables without rows are distinguished only by their headers. */
function withoutEmptyTwins(totals: readonly Totals[]): Totals[] {
  return totals.filter(
    (total) =>
      !(total.isEmpty && totals.some((other) => other !== total && other.dimension === total.dimension)),
  );
}

function twins(totals: readonly Totals[], dimension: Dimension): CrawlhouseError {
  const places = totals.filter((total) => total.dimension === dimension).map(({ table }) => table.place);
  return new CrawlhouseError('usage', `${places.join(' and ')} both look like totals by ${dimension}`, {
    hint: 'add the files of one export at a time, and omit the search appearance table',
  });
}

/** Returns the first and the last day of a table by date. */
async function daysOf(table: DemandTable, signal: AbortSignal): Promise<Period | null> {
  const days = new Set<string>();
  let wrong: RejectedRow | undefined;
  for await (const record of table.records(signal)) {
    if ('reject' in record) wrong ??= record.reject;
    const day = 'row' in record ? (record.row.date ?? '') : '';
    if (days.has(day)) throw notOfDays(table, `has several rows of ${day}`, 'hours');
    if (day !== '') days.add(day);
  }
  if (days.size === 0 && wrong !== undefined)
    throw new CrawlhouseError('usage', `${wrong.place}, line ${wrong.line}: ${wrong.reason}`, {
      hint: 'no date in the table can be read: export it again, with dates such as 2026-11-01',
    });
  const sorted = [...days].sort();
  const [from, to] = [sorted[0], sorted.at(-1)];
  const spans = spansOf(sorted);
  if (spans !== undefined) throw notOfDays(table, `has a row for each of its ${spans}`, spans);
  return from === undefined || to === undefined ? null : { from, to };
}

const DAY = 86_400_000;

/** Returns the span of the rows, if each begins a week or a month: a table of the page has every day of its period. */
function spansOf(days: readonly string[]): 'weeks' | 'months' | undefined {
  if (days.length < 2) return undefined;
  if (days.every((day) => day.endsWith('-01'))) return 'months';
  const times = days.map((day) => Date.parse(day));
  const isWeeks = times.slice(1).every((time, at) => time - Number(times[at]) === 7 * DAY);
  return isWeeks ? 'weeks' : undefined;
}

/** Refuses parts of days and sums of several days, which would replace the totals of whole days. */
function notOfDays({ place }: DemandTable, what: string, by: 'hours' | 'weeks' | 'months'): CrawlhouseError {
  return new CrawlhouseError('usage', `${place} ${what}: it is by ${by}, not by days`, {
    hint: 'export full days, such as the last 28',
  });
}

function notesOf(tables: readonly CsvTable[]): string[] {
  return tables.flatMap((table) => {
    if (table.kind === 'appearance') return [`${table.place} is by search appearance and is left out.`];
    if (table.kind === 'unknown') return [`${table.place} is left out: ${table.why}.`];
    if (table.kind === 'named')
      return [`${table.table.place} is left out: it is not a table of an export of the website.`];
    if (table.kind !== 'filters' || table.filters.length === 0) return [];
    const filters = table.filters.map(([name = '', value = '']) => `${name}: ${value}`).join('; ');
    return [`The export has these filters: ${filters}.`];
  });
}
