import { CrawlhouseError } from '../../../../core/errors/errors.ts';
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

/** The file, its content and its days, as they are known before its tables are. */
export interface ExportSource {
  readonly files: readonly string[];
  readonly fileHashes: readonly string[];
  readonly hash: string;
  readonly options: { readonly period: Period | null };
  readonly signal: AbortSignal;
}

/**
 * The tables of an export from the page of Search Console or Bing Webmaster Tools: totals of a period, each by one
 * dimension. The days of the period are those of the table by date, else those given.
 *
 * @throws CrawlhouseError `usage` without days, for two tables by the same dimension, and for a part of web search
 */
export async function pageExport(tables: readonly CsvTable[], about: ExportSource): Promise<DemandExport> {
  const { files, fileHashes, hash, options, signal } = about;
  refuseParts(tables, files);
  const totals = withoutEmptyTwins(tables.filter((one): one is Totals => one.kind === 'totals'));
  const dimensions = totals.map(({ dimension }) => dimension);
  const twice = dimensions.find((one, index) => dimensions.indexOf(one) !== index);
  if (twice !== undefined) throw twins(totals, twice);
  const engine = totals.some(({ isBing }) => isBing) ? 'bing' : 'google';
  const dates = totals.find(({ dimension }) => dimension === 'date')?.table;
  const period = (dates && (await daysOf(dates, signal))) ?? options.period;
  const [first] = totals;
  if (first === undefined) {
    throw new CrawlhouseError('usage', `${files.join(', ')}: no table has clicks and impressions`, {
      hint: 'give the tables of pages, queries and dates too',
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

/** Only an export of the whole of web search enters the totals: a part would replace them. */
function refuseParts(tables: readonly CsvTable[], files: readonly string[]): void {
  const lists = tables.flatMap((one) => (one.kind === 'filters' ? [one] : []));
  const narrowing = lists.flatMap(({ filters }) => narrowingFilters(filters));
  const [list] = lists;
  if (list !== undefined && narrowing.length > 0) {
    throw new CrawlhouseError(
      'usage',
      `${files.join(', ')} has a part of web search only (${narrowing.join('; ')}): it would replace the totals of its days`,
      {
        hint: `export the search type Web without filters. If it is that in another language, unpack it and give its tables without ${list.place}`,
      },
    );
  }
  const google = tables.flatMap((one) => (one.kind === 'totals' && !one.isBing && !one.isEmpty ? [one] : []));
  if (google.length === 0 || !google.every(({ lacksPositions }) => lacksPositions)) return;
  throw new CrawlhouseError(
    'usage',
    `${files.join(', ')} has no positions: it is of Discover or Google News, not of web search`,
    { hint: 'export the search results of the type Web, with the average position' },
  );
}

/** The error of totals without their days. */
export function withoutPeriod(
  { place, dimensions }: DemandTable,
  others: readonly CsvTable[] = [],
): CrawlhouseError {
  const unread = others.flatMap((one) => (one.kind === 'unknown' ? [` (${one.place}: ${one.why})`] : []));
  return new CrawlhouseError(
    'usage',
    `${place} has totals by ${dimensionsText(dimensions) || 'nothing'}, and no table by date says of which days${unread[0] ?? ''}`,
    {
      hint: 'add the table by date, or give the days, --to being the day after the last: --from 2026-10-01 --to 2026-11-01',
    },
  );
}

/** Tables without rows are told apart by their headers only; one that nothing tells apart adds nothing. */
function withoutEmptyTwins(totals: readonly Totals[]): Totals[] {
  return totals.filter(
    (one) => !(one.isEmpty && totals.some((other) => other !== one && other.dimension === one.dimension)),
  );
}

function twins(totals: readonly Totals[], dimension: Dimension): CrawlhouseError {
  const places = totals.filter((one) => one.dimension === dimension).map(({ table }) => table.place);
  return new CrawlhouseError('usage', `${places.join(' and ')} both look like totals by ${dimension}`, {
    hint: 'give the files of one export at a time, and leave out the table by search appearance',
  });
}

/** The first and the last day of a table by date. */
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
      hint: 'no day of the table can be read: export it again, with days such as 2026-11-01',
    });
  const sorted = [...days].sort();
  const [from, to] = [sorted[0], sorted.at(-1)];
  const spans = spansOf(sorted);
  if (spans !== undefined) throw notOfDays(table, `has a row for each of its ${spans}`, spans);
  return from === undefined || to === undefined ? null : { from, to };
}

const DAY = 86_400_000;

/** What the rows are of, if each begins a week or a month: a table of the page has every day of its period. */
function spansOf(days: readonly string[]): 'weeks' | 'months' | undefined {
  if (days.length < 2) return undefined;
  if (days.every((day) => day.endsWith('-01'))) return 'months';
  const times = days.map((day) => Date.parse(day));
  const isWeeks = times.slice(1).every((time, at) => time - Number(times[at]) === 7 * DAY);
  return isWeeks ? 'weeks' : undefined;
}

/** Parts of days, and sums of several, would replace the totals of whole ones. */
function notOfDays({ place }: DemandTable, what: string, by: 'hours' | 'weeks' | 'months'): CrawlhouseError {
  return new CrawlhouseError('usage', `${place} ${what}: it is by ${by}, not by days`, {
    hint: 'export whole days, such as the last 28',
  });
}

function notesOf(tables: readonly CsvTable[]): string[] {
  return tables.flatMap((one) => {
    if (one.kind === 'appearance') return [`${one.place} is by search appearance and is left out.`];
    if (one.kind === 'unknown') return [`${one.place} is left out: ${one.why}.`];
    if (one.kind === 'named') return [`${one.table.place} is left out: it is no table of a page's export.`];
    if (one.kind !== 'filters' || one.filters.length === 0) return [];
    const filters = one.filters.map(([name = '', value = '']) => `${name}: ${value}`).join('; ');
    return [`The export was made with these filters: ${filters}.`];
  });
}
