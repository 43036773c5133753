/** The dimensions of search results. */
export const DIMENSIONS = ['date', 'url', 'query', 'device', 'country'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

type SearchEngine = 'google' | 'bing';

/** Clicks and impressions of one row of an export. A dimension that the row is not split by is null. */
export interface DemandRow {
  /** `YYYY-MM-DD`; null for totals of a period. */
  readonly date: string | null;
  readonly url: string | null;
  /** Null also for queries that the search engine does not name. */
  readonly query: string | null;
  readonly device: string | null;
  /** Three lowercase letters of ISO 3166-1, or as the export names it. */
  readonly country: string | null;
  readonly clicks: bigint;
  readonly impressions: bigint;
  /** Average position, from 1; null if there are no impressions. */
  readonly position: number | null;
  /** The query is hidden to protect the user's privacy. */
  readonly isAnonymized: boolean;
  /** The URL, device and country as written, if the row has another spelling. */
  readonly given?: string;
  /** The property of Search Console, if the table names it. */
  readonly property?: string;
}

interface Place {
  readonly place: string;
  readonly line: number;
}

/** An unusable row, and why. */
export interface RejectedRow {
  /** The file, and the member of an archive. */
  readonly place: string;
  /** From 1; null in a file without lines. */
  readonly line: number | null;
  readonly reason: string;
}

/** The result of reading a line of an export. */
export type DemandRecord =
  | {
      readonly row: DemandRow;
      /** The position of a row that is named like a row of sums but has other figures. */
      readonly likeTotal?: Place;
    }
  /** A row of the sums of all others. */
  | { readonly total: Place }
  | { readonly reject: RejectedRow }
  /** A row of a search type other than web search, such as images or Discover. */
  | { readonly other: { readonly searchType: string } };

/** The rows of one table of an export, all with the same dimensions. */
export interface DemandTable {
  readonly place: string;
  readonly dimensions: readonly Dimension[];
  /** How its numbers and days are written, if they are text. */
  readonly writing?: string;
  /** The rows, as they are read; each call reads them again. */
  records(signal: AbortSignal): AsyncIterable<DemandRecord>;
}

/** First and last day, both inclusive, `YYYY-MM-DD`. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The files of an export that belong together, as the user gave them, with their contents. */
export interface DemandExport {
  readonly format: ExportFormat;
  readonly engine: SearchEngine;
  readonly files: readonly string[];
  /** SHA-256 of each file's content, in their order; absent for sources that are not files. */
  readonly fileHashes?: readonly string[];
  /** SHA-256 of the contents and of the user's statements about them. */
  readonly hash: string;
  /** Earlier exports whose hashes begin with this are forgotten: their rows may come again. */
  readonly supersedes?: string;
  /** The days of its totals; null if each row has its day. */
  readonly period: Period | null;
  readonly tables: readonly DemandTable[];
  /** The first day that the search engine was still counting; absent if all days are final. */
  readonly provisionalFrom?: string;
  /** Notes for the user about the export, in sentences. */
  readonly notes: readonly string[];
}

/** The formats, and their display names. */
export const EXPORT_FORMATS = {
  search_console_page: 'Search Console, export of the website',
  search_console_bulk: 'Search Console, bulk data export',
  search_console_api: 'Search Console, answers of the API',
  bing_page: 'Bing Webmaster Tools, export of the website',
  table: 'a table of search results',
} as const;
type ExportFormat = keyof typeof EXPORT_FORMATS;

/** Ranking performance consists of rows by day and URL; all others are totals. */
export function isDetailed(dimensions: readonly Dimension[]): boolean {
  return dimensions.includes('date') && dimensions.includes('url');
}

/** Returns the dimensions in their order, as text: `url`, `query, device`. */
export function dimensionsText(dimensions: readonly Dimension[]): string {
  return DIMENSIONS.filter((one) => dimensions.includes(one)).join(', ');
}
