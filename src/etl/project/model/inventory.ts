import type { BrokenItem, ReadList } from '../../../client/http/read-list.ts';
import type { CrawlOverCrawl } from '../../../client/resources/crawl-over-crawls.ts';
import type { Crawl } from '../../../client/resources/crawls.ts';
import type { DataExport } from '../../../client/resources/data-exports.ts';
import type { WeekDefinition } from '../../../client/resources/log-monitoring.ts';
import type { Project } from '../../../client/resources/projects.ts';
import type { Workspace } from '../../../client/resources/workspaces.ts';
import type { CrawlhouseError } from '../../../core/errors/errors.ts';

/** The inventory: the new records of the long lists, and all records of the others. */
export interface Inventory {
  readonly workspaces: readonly WorkspaceView[];
  /** The dates of the projects with dated sources, by project and kind of source. */
  readonly dates: ProjectDates;
  /** Workspaces whose lists could not be read, by id. */
  readonly unread: ReadonlyMap<string, CrawlhouseError>;
  /** Failures of everything that could not be read or breaks its contract. The rest is unaffected. */
  readonly failures: readonly CrawlhouseError[];
}

export interface WorkspaceView {
  readonly id: string;
  readonly name: string;
  readonly record: Workspace;
  readonly projects: ReadList<Project>;
  readonly crawls: ListReading<Crawl>;
  /** Null if no pipeline requests the comparisons, or if they could not be read. */
  readonly crawlOverCrawls: ListReading<CrawlOverCrawl> | null;
  readonly dataExports: ListReading<DataExport> | null;
  /** Why a list cannot be loaded into `raw` as a whole: it could not be read, or some of its records are broken. */
  readonly faulty: ReadonlyMap<string, CrawlhouseError>;
}

export interface ListReading<T = unknown> {
  /** The service's total. */
  readonly total: number;
  /** All records of the list: those read in this run, and those known before. */
  readonly items: readonly Listed[];
  readonly records: ReadonlyMap<string, T>;
  /** New or changed records, and records that a pipeline loads and `raw` lacks. */
  readonly changed: readonly Listed[];
  /** Ids of records that the service no longer lists. */
  readonly gone: readonly string[];
  /** Whether the list was read completely: `records` are all of its items, except for broken ones. */
  readonly isSwept: boolean;
  /** Records that break their contract. Their known state stays unchanged. */
  readonly broken: readonly BrokenItem[];
}

/** The days of a dated source, both inclusive, or why it has none for us. */
export type SourceDates =
  | { readonly from: string; readonly to: string; readonly weeks: WeekDefinition }
  | { readonly skip: string }
  /** Unknown, because a quota is used up or the answer is broken. Only this project is affected. */
  | { readonly failure: CrawlhouseError };

/** By project id, then by kind of source: `log_monitoring pages weeks`, `ranking_performance`. */
export type ProjectDates = ReadonlyMap<string, ReadonlyMap<string, SourceDates>>;

/** Returns the incrementally read lists of a workspace, by name. */
export function listReadings({
  crawls,
  crawlOverCrawls,
  dataExports,
}: WorkspaceView): [ListName, ListReading][] {
  const readings = { crawls, crawl_over_crawls: crawlOverCrawls, data_exports: dataExports };
  return (Object.entries(readings) as [ListName, ListReading | null][]).flatMap(([name, found]) =>
    found ? [[name, found]] : [],
  );
}

/** Lists of a workspace that grow over the years and are read incrementally (docs/ledger.md). */
export type ListName = 'crawls' | 'crawl_over_crawls' | 'data_exports';

/** The stored facts about a record of such a list; times are UTC milliseconds. */
export interface Listed {
  readonly id: string;
  readonly project_id: string | null;
  /** The service's status, an open string. */
  readonly status: string;
  readonly end_reason: string | null;
  readonly link_status: string | null;
  /** Whether a crawl by the local service has requests besides its pages; null for any other record. */
  readonly has_requests: boolean | null;
  readonly created_at: number | null;
  readonly ended_at: number | null;
  /** Hash of the record in its `raw` form; null if no pipeline loads the list. */
  readonly content: string | null;
}

export interface KnownItem extends Listed {
  /** Not yet in `raw`. */
  readonly pending: boolean;
  /** No longer listed by the service; kept until `raw` records it. */
  readonly gone: boolean;
}

export interface KnownList {
  readonly items: ReadonlyMap<string, KnownItem>;
  /** When the list was last read completely, UTC milliseconds; null for never. */
  readonly swept_at: number | null;
}

export const UNKNOWN_LIST: KnownList = { items: new Map(), swept_at: null };
