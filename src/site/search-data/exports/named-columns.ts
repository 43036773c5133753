import { lookUp } from '../../../core/text/look-up.ts';
import { DIMENSIONS, type Dimension } from '../demand-row.ts';
import type { NamedCells } from '../make-record.ts';

/** The column of a table for each name of `NamedCells`. */
export type NamedColumns = Readonly<Partial<Record<keyof NamedCells, number>>>;

/**
 * The names of columns in the bulk data export, in answers of the API and in tables made from them, such as in Looker
 * Studio.
 */
const NAMES: Readonly<Record<string, keyof NamedCells>> = {
  data_date: 'date',
  date: 'date',
  day: 'date',
  url: 'url',
  page: 'url',
  'landing page': 'url',
  query: 'query',
  keyword: 'query',
  device: 'device',
  country: 'country',
  clicks: 'clicks',
  'url clicks': 'clicks',
  impressions: 'impressions',
  position: 'position',
  avg_position: 'position',
  'avg position': 'position',
  'avg. position': 'position',
  average_position: 'position',
  'average position': 'position',
  sum_position: 'sum_position',
  sum_top_position: 'sum_position',
  ctr: 'ctr',
  'url ctr': 'ctr',
  'avg ctr': 'ctr',
  'avg. ctr': 'ctr',
  'average ctr': 'ctr',
  search_type: 'search_type',
  type: 'search_type',
  site_url: 'property',
  siteurl: 'property',
  property: 'property',
};

/**
 * Returns the columns of a table with an English header: the bulk export's tables, and others by two dimensions or
 * more.
 *
 * @param least the minimum number of dimensions
 * @returns undefined for any other table
 */
export function namedColumns(header: readonly string[], least = 2): NamedColumns | undefined {
  const columns: Partial<Record<keyof NamedCells, number>> = {};
  for (const [at, given] of header.entries()) {
    const name = lookUp(NAMES, given.trim().toLowerCase());
    if (name !== undefined) columns[name] ??= at;
  }
  if (columns.clicks === undefined || columns.impressions === undefined) return undefined;
  return isBulk(header) || dimensionsOf(columns).length >= least ? columns : undefined;
}

/** Returns whether these are columns of the bulk data export. */
export function isBulk(header: readonly string[]): boolean {
  const names = header.map((one) => one.trim().toLowerCase());
  return (
    names.includes('data_date') && (names.includes('sum_position') || names.includes('sum_top_position'))
  );
}

export function dimensionsOf(columns: NamedColumns): Dimension[] {
  return DIMENSIONS.filter((one) => columns[one] !== undefined);
}

export function namedCells(cells: readonly (string | null)[], columns: NamedColumns): NamedCells {
  return Object.fromEntries(Object.entries(columns).map(([name, at]) => [name, cells[Number(at)] ?? null]));
}
