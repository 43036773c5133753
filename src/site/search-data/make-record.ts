import { spellUrl, webUrl } from '../../core/net/web-url.ts';
import { likelyYear, type PlausibleTime } from '../../core/time/plausible-days.ts';
import { countryCode } from './country-code.ts';
import type { DemandRecord, Dimension } from './demand-row.ts';
import { deviceName } from './device-name.ts';
import { parseDay } from './exports/parse-day.ts';
import { type DecimalMark, parseCount, parseDecimal } from './exports/parse-figures.ts';

/** The values of a row as texts; null and absent mean no value. */
export interface NamedCells extends Readonly<Partial<Record<Dimension, string | null>>> {
  readonly clicks?: string | null;
  readonly impressions?: string | null;
  /** Clicks by impressions; only compared, not stored. */
  readonly ctr?: string | null;
  /** From 1. */
  readonly position?: string | null;
  /** The sum of the positions of all impressions, from 0. */
  readonly sum_position?: string | null;
  readonly search_type?: string | null;
  /** A property of Search Console: `sc-domain:example.com`, `https://www.example.com/`. */
  readonly property?: string | null;
}

/** The position of a row, and how its table is read. */
export interface RowPlace {
  readonly place: string;
  readonly line: number | null;
  /** The decimal mark of the table, a point by default. */
  readonly mark?: DecimalMark;
  /** The range of days that it may have. */
  readonly range: PlausibleTime;
}

/** No list of search results is as long; greater positions could not be summed. */
const MOST_POSITION = 1e6;

/** Returns whether a string begins like a URL, with a scheme. */
export function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(text);
}

/**
 * Returns a row from the values of a line, or the reason for skipping the line. Only web search results become rows.
 *
 * @param dimensions of the table
 */
export function makeRecord(
  cells: NamedCells,
  dimensions: readonly Dimension[],
  { mark = 'point', range, ...at }: RowPlace,
): DemandRecord {
  const searchType = cells.search_type?.trim().toLowerCase();
  if (searchType && searchType !== 'web') return { other: { searchType } };
  const reject = (reason: string): DemandRecord => ({ reject: { ...at, reason } });
  const given = (name: Dimension): string => (dimensions.includes(name) ? (cells[name] ?? '').trim() : '');
  const date = dimensions.includes('date') ? parseDay(given('date')) : null;
  if (date === undefined) return reject(`date: ${shown(cells.date)} is not a day`);
  const wrongDay = date === null ? null : whyImplausible(date, range);
  if (wrongDay !== null) return reject(`date: ${wrongDay}`);
  const page = webUrl(given('url'));
  // In normalized spelling, without the fragment, which belongs to the page. Texts that are not such URLs stay
  // unchanged.
  const url = page === null ? given('url') : spellUrl(page);
  if (dimensions.includes('url') && !isUrl(url)) return reject(`url: ${shown(cells.url)} is not a URL`);
  const [clicks, impressions] = [
    parseCount(cells.clicks ?? '', mark),
    parseCount(cells.impressions ?? '', mark),
  ];
  if (clicks === undefined) return reject(`clicks: ${shown(cells.clicks)} is not a whole number below 2^63`);
  if (impressions === undefined)
    return reject(`impressions: ${shown(cells.impressions)} is not a whole number below 2^63`);
  const position = positionOf(cells, impressions, mark);
  if (position === undefined)
    return reject(`position: ${shown(cells.position ?? cells.sum_position)} is not a number`);
  if (position !== null && position >= MOST_POSITION)
    return reject(
      `position: ${shown(cells.position ?? cells.sum_position)} is not a position in search results`,
    );
  const query = dimensions.includes('query') ? (cells.query ?? '') : '';
  const texts = [url, query, given('device'), given('country')];
  if (texts.some((text) => text.includes('\0'))) return reject('a value has the character NUL');
  const device = deviceName(given('device')) ?? given('device').toLowerCase();
  const country = countryCode(given('country')) ?? given('country').toLowerCase();
  const isRespelled = [url, device, country].join('\0') !== WRITTEN.map(given).join('\0');
  const property = (cells.property ?? '').trim();
  return {
    row: {
      date,
      url: url || null,
      query: query || null,
      device: device || null,
      country: country || null,
      clicks,
      impressions,
      position,
      isAnonymized: dimensions.includes('query') && query === '',
      ...(isRespelled ? { given: WRITTEN.map(given).join(' ') } : {}),
      ...(property === '' ? {} : { property }),
    },
  };
}

/** Dimensions whose values are normalized. */
const WRITTEN = ['url', 'device', 'country'] as const;

/** Returns why a day cannot be from search results: a wrong clock or another calendar; null if it can. */
export function whyImplausible(day: string, range: PlausibleTime): string | null {
  const second = Date.parse(day) / 1000;
  if (second >= range.first && second < range.end) return null;
  const [first, last] = [range.first, range.end - 1].map((one) =>
    new Date(one * 1000).toISOString().slice(0, 10),
  );
  const likely = likelyYear(Number(day.slice(0, 4)), range);
  return `${day} is not from ${first} to ${last}${likely === null ? '' : `; ${likely}`}`;
}

/** Returns null if there are no impressions: an export then writes 0 or nothing. */
function positionOf(cells: NamedCells, impressions: bigint, mark: DecimalMark): number | null | undefined {
  if (impressions === 0n) return null;
  if (cells.sum_position !== undefined) {
    const sum = parseDecimal(cells.sum_position ?? '', mark);
    return sum === undefined ? undefined : sum / Number(impressions) + 1;
  }
  const text = (cells.position ?? '').trim();
  return text === '' ? null : parseDecimal(text, mark);
}

function shown(value: string | null | undefined): string {
  return value === undefined || value === null ? 'nothing' : JSON.stringify(value.slice(0, 100));
}
