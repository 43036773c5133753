/** What search results are counted by. */
export const DIMENSIONS = ['date', 'url', 'query', 'device', 'country'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

type SearchEngine = 'google' | 'bing';

/** Clicks and impressions of one row of an export. A dimension that it is not counted by is null. */
export interface DemandRow {
  /** `YYYY-MM-DD`; null for totals of a period. */
  readonly date: string | null;
  readonly url: string | null;
  /** Null also for queries that the search engine does not name. */
  readonly query: string | null;
  readonly device: string | null;
  /** Three small letters of ISO 3166-1, or as the export names it. */
  readonly country: string | null;
  readonly clicks: bigint;
  readonly impressions: bigint;
  /** Average position, from 1; null without impressions. */
  readonly position: number | null;
  /** The query is hidden to protect who asked it. */
  readonly isAnonymized: boolean;
  /** The URL, device and country as they are written, where the row has them in another spelling. */
  readonly given?: string;
  /** The property of Search Console, where the table names it. */
  readonly property?: string;
}

interface Place {
  readonly place: string;
  readonly line: number;
}

/** A row that can't be used, and why. */
export interface RejectedRow {
  /** The file, and the member of an archive. */
  readonly place: string;
  /** From 1; null in a file without lines. */
  readonly line: number | null;
  readonly reason: string;
}

/** What a line of an export becomes. */
export type DemandRecord =
  | {
      readonly row: DemandRow;
      /** Where it stands, if it has the name of a row of sums but other figures. */
      readonly likeTotal?: Place;
    }
  /** A row of the sums of all others. */
  | { readonly total: Place }
  | { readonly reject: RejectedRow }
  /** A row of another search type than the web's, as of images or Discover. */
  | { readonly other: { readonly searchType: string } };

/** The rows of one table of an export, all counted by the same dimensions. */
export interface DemandTable {
  readonly place: string;
  readonly dimensions: readonly Dimension[];
  /** How its numbers and days are written, where they are texts. */
  readonly writing?: string;
  /** The rows, as they are read; each call reads them anew. */
  records(signal: AbortSignal): AsyncIterable<DemandRecord>;
}

/** First and last day, both inclusive, `YYYY-MM-DD`. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** What a person gave, and what it holds: files that belong together are one export. */
export interface DemandExport {
  readonly format: ExportFormat;
  readonly engine: SearchEngine;
  readonly files: readonly string[];
  /** SHA-256 of each file's content, in their order; absent for what is no file. */
  readonly fileHashes?: readonly string[];
  /** SHA-256 of the contents and of what was said about them. */
  readonly hash: string;
  /** Earlier exports whose hashes begin so are forgotten: what they had may come again. */
  readonly supersedes?: string;
  /** The days that its totals are of; null where each row has its day. */
  readonly period: Period | null;
  readonly tables: readonly DemandTable[];
  /** The first day that the search engine was still counting; absent where all days are final. */
  readonly provisionalFrom?: string;
  /** What is to be known of the export, in sentences. */
  readonly notes: readonly string[];
}

/** The formats, and what a person calls them. */
export const EXPORT_FORMATS = {
  search_console_page: 'Search Console, exported from its page',
  search_console_bulk: 'Search Console, bulk data export',
  search_console_api: 'Search Console, answers of the API',
  bing_page: 'Bing Webmaster Tools, exported from its page',
  table: 'a table of search results',
} as const;
type ExportFormat = keyof typeof EXPORT_FORMATS;

/** Rows by day and URL are what ranking performance has; all others are totals. */
export function isDetailed(dimensions: readonly Dimension[]): boolean {
  return dimensions.includes('date') && dimensions.includes('url');
}

/** The dimensions in their order, as text: `url`, `query, device`. */
export function dimensionsText(dimensions: readonly Dimension[]): string {
  return DIMENSIONS.filter((one) => dimensions.includes(one)).join(', ');
}
