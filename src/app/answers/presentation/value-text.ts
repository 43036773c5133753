import { bytesText, countText, durationText, figureText } from '../../../core/text/amounts.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import type { Kind, LinkedCrawl, Value } from './blocks.ts';

/** Returns a value as text, the same on a terminal and in a browser. */
export function valueText(value: NonNullable<Value>, kind: Kind): string {
  if (kind === 'time') return String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2');
  if (typeof value === 'string') return value;
  if (kind === 'count') return countText(value);
  if (kind === 'bytes') return bytesText(Number(value));
  if (kind === 'duration') return durationText(Number(value));
  return kind === 'age' ? ageText(Number(value)) : String(value).replace(/^-/, '−');
}

/** `5 h 3 min`, `12 days`: no hours beyond two days. */
function ageText(seconds: number): string {
  const day = 86_400;
  return seconds < 2 * day ? durationText(seconds) : `${countText(Math.floor(seconds / day))} days`;
}

/** Returns the readable name of a crawl, `Crawl 13 · 2026-11-22`; its identifier only if its end is unknown. */
export function crawlName({ crawl_id, crawl_number, ended_at }: LinkedCrawl): string {
  if (ended_at === null) return `Crawl ${crawl_id}`;
  const day = ended_at.slice(0, 10);
  return crawl_number == null ? `Crawl of ${day}` : `Crawl ${countText(crawl_number)} · ${day}`;
}

/** Columns whose names differ from their usual names in SEO. */
const COLUMN_NAMES: Readonly<Record<string, string>> = {
  is_indexable: 'Indexability',
  non_indexable_reason: 'Indexability reason',
  depth: 'Crawl depth',
  rel_canonical: 'Canonical',
  inrank_decimal: 'Link score',
  inrank: 'Link score, whole',
  nb_inlinks: 'Inlinks',
  nb_outlinks: 'Outlinks',
  text_to_code: 'Text ratio',
  num_img: 'Images',
  load_time: 'Load time (ms)',
  average_load_time: 'Average load time (ms)',
  weight: 'Size (KB)',
  num_missing_alt: 'Images without alt text',
  largest_img_weight: 'Largest image (KB)',
  nearduplicate_content: 'Near duplicate',
  url_first_path: 'First directory',
  sources: 'Found by',
  cwv_cls: 'Cumulative layout shift',
  cwv_lcp: 'Largest contentful paint (ms)',

  cwv_fcp: 'First contentful paint (ms)',
  cwv_si: 'Speed index (ms)',
  cwv_tbt: 'Total blocking time (ms)',
  cwv_tti: 'Time to interactive (ms)',
  cwv_performance_score: 'Performance score',
  average_position: 'Position',
  changed: 'Changes',
  ended_at: 'Crawl ended',
  why: 'Found',
  related_url: 'Other URL',
};

/** Words whose spelling differs from that in column names. */
const WORDS: Readonly<Record<string, string>> = {
  ai: 'AI',
  amp: 'AMP',
  ctr: 'CTR',
  h1: 'H1',
  h2: 'H2',
  html: 'HTML',
  http: 'HTTP',
  https: 'HTTPS',
  id: 'ID',
  img: 'images',
  ip: 'IP',
  seo: 'SEO',
  tls: 'TLS',
  txt: 'TXT',
  url: 'URL',
  urls: 'URLs',
  nb: 'number of',
  num: 'number of',
  percent: '%',
};

/** `Crawl depth` for `depth`; else the name made readable, or unchanged if it is not snake_case. */
export function columnName(column: string): string {
  const known = lookUp(COLUMN_NAMES, column);
  if (known !== undefined) return known;
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(column)) return column;
  const words = column
    .replace(/^is_/, '')
    .split('_')
    .map((word) => lookUp(WORDS, word) ?? word)
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Readable column names, each unique: the second of two equal names gets its column in brackets. */
export function columnNames(columns: readonly string[]): string[] {
  const names = columns.map(columnName);
  return names.map((name, index) => (names.indexOf(name) < index ? `${name} (${columns[index]})` : name));
}

/** Numbers that identify a row or count its days, rather than measure it. */
const DIMENSION =
  /^(.*_)?(ids?|codes?|status|depth|level|hop|place|number|year|quarter|month|week|day|hour|days|inrank)$|^day_of_/;
const AGGREGATE = /^(average|avg|mean|median|min|max|minimum|maximum|sum|total|p\d+)_/;

/**
 * Returns whether a number labels rows, as codes, identifiers and depths do, so that charts do not draw its size.
 */
export function isDimension(name: string): boolean {
  const plain = name.toLowerCase().replace(/_(before|after|now)$/, '');
  return DIMENSION.test(plain) && !AGGREGATE.test(plain);
}

/** Shares from 0 to 1, shown in percent. */
const SHARE = /(^|_)(share|ctr|similarity)$|^text_to_code$/;
const PERCENT = /_percent(_change)?$/;

/** Returns the number of a column for people. */
export function numberText(name: string, value: number | bigint): string {
  if (isDimension(name)) return String(value);
  if (PERCENT.test(name)) return `${figureText(Number(value), 1)} %`;
  if (SHARE.test(name) && Math.abs(Number(value)) <= 1) return `${figureText(100 * Number(value), 1)} %`;
  if (typeof value === 'bigint' || Number.isInteger(value)) return countText(value);
  return Math.abs(value) < 1 ? String(Number(value.toPrecision(3))).replace(/^-/, '−') : figureText(value);
}
